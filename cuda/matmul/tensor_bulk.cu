// `tensor` with stages that bulk tensor copies fill. There, warps that multiply
// copy as well, and wait for each other at every stage; here one thread of a
// third warpgroup asks for boxes of A and B, eight warps multiply, and barriers
// in shared memory say which stage has arrived and which is free. A block has
// a multiprocessor of its own and stays for all its tiles: of 128 x 128, which
// need two thirds of the reads from L2 of two of 128 x 64, or smaller where
// that leaves less of the device without work. Warps whose part of a tile lies
// beyond C have nothing to do, so that a tile at the edge may cost half. What
// is left of the large tiles when all blocks have as many whole ones is cut
// along k into as many equal shares as there are blocks; parts of tiles go to
// scratch memory, and a second kernel adds them up, in order. (Osama et al.,
// Stream-K, 2023.)
//
// Where rows are not aligned to 16 bytes, every other one is: even and odd rows
// come by copies of their own and lie apart in a stage. Problems that are too
// small for these tiles are left to `tensor`.
#include <algorithm>

#include "gpu/warpgroup.hpp"
#include "tensor.cuh"

using namespace parlab;

namespace {

// As in tensor.cuh. eights: groups of 8 rows that are multiplied at a time.
// shared: whether the last tiles are, which pays where they are large.
// early: the barrier of the next stage is asked one group of products before
// the stage is needed, so that the answer is there by then.
struct SquareTile {
  static constexpr int rows = 128, cols = 128, warp_rows = 64, warp_cols = 32;
  static constexpr int eights = 2;
  static constexpr bool shared = true, early = true;
  static constexpr double share = 0.97, begin = 0.1;
};
struct SmallerTile {
  static constexpr int rows = 96, cols = 96, warp_rows = 24, warp_cols = 48;
  static constexpr int eights = 1;
  static constexpr bool shared = false, early = false;
  static constexpr double share = 1, begin = 0.1;
};
struct HalfTile {
  static constexpr int rows = 128, cols = 64, warp_rows = 32, warp_cols = 32;
  static constexpr int eights = 2;
  static constexpr bool shared = false, early = false;
  static constexpr double share = 1.03, begin = 0.12;
};

constexpr int bulk_threads = 384, bulk_copier = 256;  // who asks for copies

// What follows from a tile.
template <typename Tile>
struct BulkTiling : Tile {
  static constexpr int warps_down = Tile::rows / Tile::warp_rows;
  static constexpr int warps_across = Tile::cols / Tile::warp_cols;
  static_assert(warps_down * warps_across == 8);
  // of a warp: groups of rows that are multiplied at a time, and of 16 columns
  static constexpr int down = Tile::warp_rows / (8 * Tile::eights),
                       across = Tile::warp_cols / 16,
                       sums = 4 * Tile::eights * down * across;

  // A stage: 16 columns of A, a row of them 128 bytes, then the same rows of B,
  // in panels of 16 columns. The copies permute pieces of 16 bytes in each
  // eight rows: piece p of row r lies at p ^ r % 8.
  static constexpr int depth = 16, row_bytes = 128;
  static constexpr int a_bytes = Tile::rows * row_bytes,
                       panel_bytes = depth * row_bytes,
                       panels = Tile::cols / 16,
                       stage_bytes = a_bytes + panels * panel_bytes;
  // even and odd rows of so many lie apart
  static constexpr int apart_rows = Tile::rows % 64 == 0 ? 64 : Tile::rows;
  static constexpr int fit = 200 * 1024 / stage_bytes,
                       stages = fit < 8 ? fit : 8;
  static constexpr int shared_bytes = stages * stage_bytes + 1024;
};

// Of the operands: whether even and odd rows lie apart in a stage.
struct Apart {
  bool a, b;
};
__host__ __device__ __forceinline__ Apart apart(const Matmul::Args<double>& p) {
  return {p.k % 2 != 0 && p.m > 1, p.n % 2 != 0 && p.k > 1};
}

// A matrix, for the copies of its boxes: all rows as `even`, or even and odd
// ones. Those begin one element too early, where memory is aligned.
struct RowMaps {
  TensorMap even, odd;
};

// Who computes what. Full tiles come first, then those of which half or more
// lies beyond C, in the last row and column of tiles. Tiles before first_shared
// are computed as a whole, by one block after another. The work in the others
// is numbered in units, two per step of a full tile, one per step of a half
// one; block b has those from first_unit(b) on, which is even.
struct Shares {
  int down, across;            // tiles
  int full_down, full_across;  // of them, those that are full
  int first_shared;
  int steps_of_tile;
  int blocks;

  __host__ __device__ int tiles() const { return down * across; }
  __host__ __device__ int full() const { return full_down * full_across; }
  __host__ __device__ int shared() const { return tiles() - first_shared; }
  __host__ __device__ int begin_of_half() const {
    return (full() - first_shared) * 2 * steps_of_tile;
  }
  // Where the units of tile first_shared + i begin.
  __host__ __device__ int begin_of(int i) const {
    const int half = i - (full() - first_shared);
    return half < 0 ? i * 2 * steps_of_tile
                    : begin_of_half() + half * steps_of_tile;
  }
  __host__ __device__ int pairs() const {
    return shared() > 0 ? (begin_of(shared()) + 1) / 2 : 0;
  }
  __host__ __device__ int first_unit(int block) const {
    const auto first =
        static_cast<int>(std::int64_t{block} * pairs() / blocks) * 2;
    return min(first, begin_of(shared()));
  }
  __host__ __device__ int block_of(int unit) const {
    return static_cast<int>(((std::int64_t{unit} / 2 + 1) * blocks - 1) /
                            pairs());
  }
};

// What a block does at a time: some steps of a tile, all or a part of them.
struct Piece {
  int tile, begin, steps;
  bool second;  // of the two parts of tiles that a block may have
};

// How many a block has at most: three of shared tiles, which come first, so
// that what they store is there when the others end, and whole ones. A share is
// no more than a full tile: two parts and between them at most a half tile.
constexpr int shared_pieces = 3;
__device__ __forceinline__ int pieces(const Shares& shares) {
  const int block = blockIdx.x, left = shares.first_shared - block;
  return shared_pieces + max(0, (left + shares.blocks - 1) / shares.blocks);
}

// Piece i of this block; with no steps, there is none. It is found anew where
// it is needed: the registers are for sums.
__device__ __forceinline__ Piece piece_of(const Shares& shares, int i) {
  const int block = blockIdx.x, of_tile = shares.steps_of_tile;
  if (i >= shared_pieces) {
    return {block + (i - shared_pieces) * shares.blocks, 0, of_tile, false};
  }
  if (shares.shared() == 0) return {0, 0, 0, false};

  const int half = shares.begin_of_half(), end = shares.first_unit(block + 1);
  int unit = shares.first_unit(block);
  for (int piece = 0;; ++piece) {
    const bool full = unit < half;
    const int units_of_step = full ? 2 : 1, units = of_tile * units_of_step,
              in_tiles = full ? unit : unit - half;
    const int before = in_tiles / units, from = in_tiles % units;
    const int next = min(end, unit - from + units);
    if (piece == i) {
      const int tile =
          full ? shares.first_shared + before : shares.full() + before;
      return {tile, from / units_of_step, (next - unit) / units_of_step, i > 0};
    }
    unit = next;
  }
}

template <typename S>
__device__ __forceinline__ void place_of_piece(const Shares& shares,
                                               int tile,
                                               int& row0,
                                               int& col0) {
  int row, col;
  const int half = tile - shares.full();
  const int in_column = (shares.across - shares.full_across) * shares.down;
  if (half < 0) {
    place_of_tile<8>(tile, shares.full_down, shares.full_across, row, col);
  } else if (half < in_column) {
    row = half, col = shares.full_across;
  } else {
    row = shares.full_down, col = half - in_column;
  }
  row0 = row * S::rows, col0 = col * S::cols;
}

// Which part of the tile this warp has. Four warps share a multiprocessor's
// quarter in turns; of those in half of a tile, each quarter has one.
template <typename S>
__device__ __forceinline__ int row_of_warp() {
  const int warp = threadIdx.x / 32, half = warp / 4;
  const int down = S::warps_down == 2 ? half : (warp + 2 * half) % 4;
  return down * S::warp_rows;
}
template <typename S>
__device__ __forceinline__ int col_of_warp() {
  const int warp = threadIdx.x / 32, half = warp / 4;
  const int across = S::warps_across == 2 ? half : (warp + 2 * half) % 4;
  return across * S::warp_cols;
}

// Where a thread's first sums lie in the tile: of each 8 rows and 16 columns
// it has two rows, which are t and t + 4, or 2 t and 2 t + 1 where B's rows lie
// apart, and columns 2 g and 2 g + 1, with g = lane / 4 and t = lane % 4.
template <typename S>
__device__ __forceinline__ int first_row(Apart apart) {
  return row_of_warp<S>() + threadIdx.x % 4 * (apart.b ? 2 : 1);
}
template <typename S>
__device__ __forceinline__ int first_col() {
  return col_of_warp<S>() + threadIdx.x % 32 / 4 * 2;
}

// As in tensor.cuh, but for two orders: of the rows within an eight, and of the
// columns of A, that is, rows of B, of which the instruction has eight at a
// time. With these, what neighbouring lanes read lies in different banks,
// whether the rows of B lie apart or not.
template <typename S>
struct BulkOperands {
  Pair a[2][S::eights];
  Pair b[2][S::across][2];
  // bytes in a stage: of both eights, and there of two rows of B
  int a_at[2], b_at[2][2];

  __device__ __forceinline__ explicit BulkOperands(Apart apart) {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int row = apart.b ? g : g / 2 + g % 2 * 4, row0 = row_of_warp<S>(),
              panel = col_of_warp<S>() / 16;
    for (int i = 0; i < 2; ++i) {
      const int pair = apart.b ? 2 * t + i : 4 * i + t;  // of A's columns
      a_at[i] = (row0 + row) * S::row_bytes + (pair ^ row) * 16;
      for (int j = 0; j < 2; ++j) {
        const int of_b = apart.b ? pair + S::depth / 2 * j : 2 * pair + j;
        b_at[i][j] = S::a_bytes + panel * S::panel_bytes + of_b * S::row_bytes +
                     (g ^ of_b % 8) * 16;
      }
    }
  }

  // i: which eight columns of A. r: which group of rows.
  __device__ __forceinline__ void read_a(int set,
                                         const unsigned char* stage,
                                         int i,
                                         int r) {
    _Pragma("unroll")
    for (int e = 0; e < S::eights; ++e) {
      a[set][e] = *reinterpret_cast<const Pair*>(
          stage + a_at[i] + (r * S::eights + e) * 8 * S::row_bytes);
    }
  }

  __device__ __forceinline__ void read_b(int set,
                                         const unsigned char* stage,
                                         int i) {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      _Pragma("unroll")
      for (int j = 0; j < 2; ++j) {
        b[set][s][j] = *reinterpret_cast<const Pair*>(stage + b_at[i][j] +
                                                      s * S::panel_bytes);
      }
    }
  }

  __device__ __forceinline__ void multiply_add(
      int set_a, int set_b, double (&sum)[S::across][S::eights][4]) const {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      const Pair *const rows = b[set_b][s], *const cols = a[set_a];
      const double left[4] = {rows[0].element[0], rows[0].element[1],
                              rows[1].element[0], rows[1].element[1]};
      _Pragma("unroll")
      for (int e = 0; e < S::eights; ++e) {
        const double right[2] = {cols[e].element[0], cols[e].element[1]};
        tensor_multiply_add<8>(sum[s][e], left, right);
      }
    }
  }
};

// The row of C that a row of the tile is.
template <typename S>
__device__ __forceinline__ int row_of_tile(Apart apart, int row0, int row) {
  constexpr int all = S::apart_rows, half = all / 2;
  if (!apart.a) return row0 + row;
  const int among = row % all;
  return row0 + row - among + among % half * 2 + among / half;
}

// Whether this warp's part of a tile lies beyond C.
template <typename S>
__device__ __forceinline__ bool is_idle(const Matmul::Args<double>& p,
                                        Apart apart,
                                        int row0,
                                        int col0) {
  return row_of_tile<S>(apart, row0, row_of_warp<S>()) >= p.m ||
         col0 + col_of_warp<S>() >= p.n;
}

// Two neighbours in a row of C.
__device__ __forceinline__ void store(
    const Matmul::Args<double>& p, int row, int col, double one, double two) {
  if (row >= p.m || col >= p.n) return;
  double* const at = p.c + row * p.n + col;
  if (p.n % 2 == 0) {
    *reinterpret_cast<Pair*>(at) = {one, two};
  } else {
    at[0] = one;
    if (col + 1 < p.n) at[1] = two;
  }
}

// Two of the sums of each of the 256 threads, side by side.
template <typename S>
__device__ __forceinline__ Pair* bulk_part(double* parts,
                                           int block,
                                           bool second,
                                           int pair) {
  return reinterpret_cast<Pair*>(parts) +
         (std::int64_t{block} * 2 + second) * (S::rows * S::cols / 2) +
         pair * bulk_copier + threadIdx.x;
}

// To C, or as a part to scratch memory.
template <typename S>
__device__ __forceinline__ void store_piece(
    const Matmul::Args<double>& p,
    double* parts,
    const Shares& shares,
    int i,
    const double (&sum)[S::down][S::across][S::eights][4]) {
  const Piece piece = piece_of(shares, i);
  if (piece.steps < shares.steps_of_tile) {
    const double* const all = &sum[0][0][0][0];
    _Pragma("unroll")
    for (int e = 0; e < S::sums / 2; ++e) {
      *bulk_part<S>(parts, blockIdx.x, piece.second, e) = {all[2 * e],
                                                           all[2 * e + 1]};
    }
    return;
  }
  const Apart apart = ::apart(p);
  const int first = first_row<S>(apart), next = apart.b ? 1 : 4;
  int row0, col;
  place_of_piece<S>(shares, piece.tile, row0, col);
  col += first_col<S>();
  _Pragma("unroll")
  for (int r = 0; r < S::down; ++r) {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      _Pragma("unroll")
      for (int e = 0; e < S::eights; ++e) {
        const double(&part)[4] = sum[r][s][e];
        const int at = first + (r * S::eights + e) * 8;
        store(p, row_of_tile<S>(apart, row0, at), col + s * 16, part[0],
              part[2]);
        store(p, row_of_tile<S>(apart, row0, at + next), col + s * 16, part[1],
              part[3]);
      }
    }
  }
}

// Some rows from (row, col) on; so many are apart.
template <int rows, int apart_rows, typename S>
__device__ __forceinline__ void load_rows(unsigned char* to,
                                          const RowMaps& maps,
                                          bool apart,
                                          Barrier& full,
                                          int col,
                                          int row) {
  if (!apart) {
    load_box(to, maps.even, full, col, row);
    return;
  }
  constexpr int bytes = apart_rows / 2 * S::row_bytes;
  _Pragma("unroll")
  for (int i = 0; i < rows / apart_rows; ++i, to += 2 * bytes) {
    const int half = (row + i * apart_rows) / 2;
    load_box(to, maps.even, full, col, half);
    load_box(to + bytes, maps.odd, full, col + 1, half);
  }
}

template <typename S>
__global__ void __launch_bounds__(bulk_threads, 1)
    matmul_tensor_bulk(const PARLAB_GRID_CONSTANT RowMaps a,
                       const PARLAB_GRID_CONSTANT RowMaps b,
                       Matmul::Args<double> p,
                       double* parts,
                       Shares shares) {
  unsigned char* const shared = shared_memory<unsigned char>();
  // The permutation is one of addresses.
  unsigned char* const stages =
      shared + (1024 - shared_address(shared) % 1024) % 1024;
  __shared__ Barrier full[S::stages], empty[S::stages];
  let_next_launch_begin();
  if (threadIdx.x == 0) {
    prefetch(a.even);
    prefetch(b.even);
    for (Barrier& barrier : full)
      init_barrier(barrier, 1);
    for (Barrier& barrier : empty)
      init_barrier(barrier, bulk_copier / 32);
    publish_barriers();
  }
  __syncthreads();

  const Apart apart = ::apart(p);
  Ring<S::stages> ring;
  const int count = pieces(shares);
  if (threadIdx.x >= bulk_copier) {  // ---- the third warpgroup copies
    give_registers<40>();
    if (threadIdx.x > bulk_copier) return;
    for (int i = 0; i < count; ++i) {
      const Piece piece = piece_of(shares, i);
      int row0, col0;
      place_of_piece<S>(shares, piece.tile, row0, col0);
      for (int step = 0; step < piece.steps; ++step, ring.advance()) {
        wait(empty[ring.stage], ring.parity ^ 1);  // at first at once
        unsigned char* const stage = stages + ring.stage * S::stage_bytes;
        const int k0 = (piece.begin + step) * S::depth;
        arrive_expecting(full[ring.stage], S::stage_bytes);
        load_rows<S::rows, S::apart_rows, S>(stage, a, apart.a,
                                             full[ring.stage], k0, row0);
        _Pragma("unroll")
        for (int panel = 0; panel < S::panels; ++panel) {
          load_rows<S::depth, S::depth, S>(
              stage + S::a_bytes + panel * S::panel_bytes, b, apart.b,
              full[ring.stage], col0 + panel * 16, k0);
        }
      }
    }
    return;
  }

  take_registers<232>();  // ---- two multiply
  BulkOperands<S> operands(apart);
  // Before which group of rows the ring moves on to the next stage.
  constexpr int moves_on = S::down - (S::early ? 2 : 1);
  _Pragma("unroll 1")
  for (int piece = 0; piece < count; ++piece) {
    const Piece now = piece_of(shares, piece);
    const int steps = now.steps;
    int row0, col0;
    place_of_piece<S>(shares, now.tile, row0, col0);
    if (is_idle<S>(p, apart, row0, col0)) {
      for (int step = 0; step < steps; ++step, ring.advance()) {
        wait(full[ring.stage], ring.parity);
        __syncwarp();
        if (threadIdx.x % 32 == 0) arrive(empty[ring.stage]);
      }
      continue;
    }
    if (steps == 0) continue;
    double sum[S::down][S::across][S::eights][4] = {};
    wait(full[ring.stage], ring.parity);
    const unsigned char* from = stages + ring.stage * S::stage_bytes;
    operands.read_a(0, from, 0, 0);
    operands.read_b(0, from, 0);
    _Pragma("unroll 1")
    for (int step = 0; step < steps; ++step) {
      Barrier& done = empty[ring.stage];
      const bool more = step + 1 < steps;
      std::uint32_t arrived = 0;
      _Pragma("unroll")
      for (int i = 0; i < 2; ++i) {
        _Pragma("unroll")
        for (int r = 0; r < S::down; ++r) {
          const int now = (i * S::down + r) % 2;
          if (i == 1 && r == moves_on) {
            ring.advance();
            if (S::early && more)
              arrived = has_arrived(full[ring.stage], ring.parity);
          }
          if (r < S::down - 1) {
            operands.read_a(1 - now, from, i, r + 1);
          } else {
            if (i == 1 && more) {
              if (arrived == 0) wait(full[ring.stage], ring.parity);
              from = stages + ring.stage * S::stage_bytes;
            }
            if (i == 0 || more) {
              operands.read_a(1 - now, from, 1 - i, 0);
              operands.read_b(1 - i, from, 1 - i);
            }
          }
          operands.multiply_add(now, i, sum[r]);
        }
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(done);
    }
    store_piece<S>(p, parts, shares, piece, sum);
  }
}

// Adds the parts of shared tile blockIdx.x; blockIdx.y: which four sums of each
// thread.
template <typename S>
__global__ void __launch_bounds__(bulk_copier)
    matmul_tensor_bulk_add(Matmul::Args<double> p,
                           double* parts,
                           Shares shares) {
  const int tile = blockIdx.x, begin = shares.begin_of(tile),
            end = shares.begin_of(tile + 1);
  const int first = shares.block_of(begin), last = shares.block_of(end - 1);
  int row0, col;
  place_of_piece<S>(shares, shares.first_shared + tile, row0, col);
  const Apart apart = ::apart(p);
  wait_for_launch_before();
  if (first == last) return;  // computed by one block, which stored it
  if (is_idle<S>(p, apart, row0, col)) return;

  const int four = blockIdx.y;
  double sum[4] = {};
  for (int block = first; block <= last; ++block) {
    // Where there are fewer steps than blocks, some have none.
    if (shares.first_unit(block) == shares.first_unit(block + 1)) continue;
    // The first may have had steps of another tile before these.
    const bool second = shares.first_unit(block) < begin;
    _Pragma("unroll")
    for (int i = 0; i < 2; ++i) {
      const Pair part = *bulk_part<S>(parts, block, second, four * 2 + i);
      sum[2 * i] += part.element[0];
      sum[2 * i + 1] += part.element[1];
    }
  }

  const int e = four % S::eights, s = four / S::eights % S::across,
            r = four / S::eights / S::across;
  const int row = first_row<S>(apart) + (r * S::eights + e) * 8;
  col += first_col<S>() + s * 16;
  store(p, row_of_tile<S>(apart, row0, row), col, sum[0], sum[2]);
  store(p, row_of_tile<S>(apart, row0, row + (apart.b ? 1 : 4)), col, sum[1],
        sum[3]);
}

// What sharing costs, in multiply-adds of a multiprocessor.
constexpr double of_sharing = 2.5e6;

// How many tiles are full: not those with at most half of their rows in C.
inline int full_tiles(std::int64_t extent, int tile) {
  const std::int64_t rest = extent % tile;
  return static_cast<int>(extent / tile + (rest > tile / 2 ? 1 : 0));
}

// The same with nothing shared.
inline Shares all_whole(Shares shares) {
  shares.first_shared = shares.tiles();
  shares.blocks = std::min(shares.blocks, shares.tiles());
  return shares;
}

// The time in which a block computes so many full tiles is what all take.
inline double rounds_of(const Shares& shares) {
  const int full = std::min(shares.full(), shares.first_shared);
  // Of whole ones, block 0 has the most.
  const auto whole =
      static_cast<double>(ceil_div(full, shares.blocks) +
                          ceil_div(shares.first_shared, shares.blocks)) /
      2;
  return whole + shares.pairs() / static_cast<double>(shares.steps_of_tile) /
                     shares.blocks;
}

template <typename S>
Shares shares_of(Gpu& gpu, const Matmul::Args<double>& p) {
  Shares shares{
      .down = static_cast<int>(ceil_div(p.m, S::rows)),
      .across = static_cast<int>(ceil_div(p.n, S::cols)),
      .full_down = full_tiles(p.m, S::rows),
      .full_across = full_tiles(p.n, S::cols),
      .first_shared = 0,
      .steps_of_tile = static_cast<int>(ceil_div(p.k, S::depth)),
      .blocks = gpu.multiprocessors(),
  };
  const int tiles = shares.tiles(), full = shares.full(),
            blocks = shares.blocks;
  const int rounds = (full + tiles) / 2 / blocks;
  shares.first_shared = std::min(rounds * blocks, full);
  const Shares whole = all_whole(shares);
  const bool fits =
      2 * full + (tiles - full) - 2 * shares.first_shared <= 2 * blocks;
  const double saved = rounds_of(whole) - rounds_of(shares);
  const double as_work =
      saved * S::depth * shares.steps_of_tile * S::rows * S::cols;
  return S::shared && rounds > 0 && fits && as_work > of_sharing ? shares
                                                                 : whole;
}

// As in tensor.cuh.
template <typename S>
double estimate_bulk(Gpu& gpu, const Matmul::Args<double>& p) {
  const Shares shares = shares_of<S>(gpu, p);
  const double sharing =
      shares.shared() > 0 ? of_sharing / static_cast<double>(p.k) : 0;
  return (rounds_of(shares) + S::begin) * S::rows * S::cols * S::share +
         sharing;
}

// rows x cols at `data`, in boxes of box_rows rows and 16 columns.
template <typename S>
RowMaps maps_of(const double* data,
                std::int64_t rows,
                std::int64_t cols,
                bool apart,
                int box_rows) {
  constexpr std::int64_t size = sizeof(double);
  const std::int64_t step = apart ? 2 : 1;
  // Of one row, which may be odd, the pitch is never used.
  const std::int64_t pitch = ceil_div(step * cols, 2) * 2 * size;
  const auto map = [&](const double* from, std::int64_t high,
                       std::int64_t wide) {
    return tensor_map({.element = MapElement::float64,
                       .data = from,
                       .extent = {wide, high, 1},
                       .pitch = {pitch, high * pitch},
                       .box = {16, static_cast<int>(box_rows / step), 1},
                       .swizzle = S::row_bytes});
  };
  if (!apart) return {map(data, rows, cols), {}};
  return {map(data, ceil_div(rows, 2), cols),
          map(data + cols - 1, rows / 2, cols + 1)};
}

template <typename S>
void launch_bulk(Gpu& gpu, const Matmul::Args<double>& p) {
  const Shares shares = shares_of<S>(gpu, p);
  double* const parts = shares.shared() > 0
                            ? gpu.scratch<double>(std::int64_t{shares.blocks} *
                                                  2 * S::rows * S::cols)
                            : nullptr;
  const Apart apart = ::apart(p);
  gpu.launch(
      {.grid = {shares.blocks},
       .block = {bulk_threads},
       .shared_bytes = S::shared_bytes},
      matmul_tensor_bulk<S>,
      maps_of<S>(p.a, p.m, p.k, apart.a, apart.a ? S::apart_rows : S::rows),
      maps_of<S>(p.b, p.k, p.n, apart.b, S::depth), p, parts, shares);
  if (shares.shared() == 0) return;
  gpu.launch({.grid = {shares.shared(), S::sums / 4},
              .block = {bulk_copier},
              .overlaps = true},
             matmul_tensor_bulk_add<S>, p, parts, shares);
}

// In the time in which a multiprocessor makes one multiply-add per column of A:
// what an aligned copy takes for a row of A or a column of B, and what `tensor`
// needs for as much work where it makes none.
constexpr double of_copy = 1.2, unaligned = 1.25;

}  // namespace

const Register<Matmul, double> variant(
    {
        .rung = 18,
        .idea =
            "doubles on the tensor cores from stages that bulk copies fill, "
            "tiles up to 128 x 128, the last ones shared",
        .units = {{Dtype::f64, "tensor double"}},
        .hardware = "bulk tensor copies",
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      refuse_without_warpgroups();
      TensorPlan plan = plan_tensor(gpu, p);
      const bool aligned = p.k % 2 == 0 && p.n % 2 == 0;
      const double copies = of_copy * static_cast<double>(p.m + p.n);
      if (!aligned && copies_operands(p)) plan.time += copies;
      if (!aligned && !copies_operands(p)) plan.time *= unaligned;
      double best = plan.time;
      void (*launch)(Gpu&, const Matmul::Args<double>&) = nullptr;
      const auto enter = [&]<typename S>(S) {
        const double time = estimate_bulk<S>(gpu, p);
        if (time < best) best = time, launch = launch_bulk<S>;
      };
      enter(BulkTiling<SquareTile>());
      enter(BulkTiling<SmallerTile>());
      enter(BulkTiling<HalfTile>());
      if (launch != nullptr) {
        launch(gpu, p);
      } else {
        multiply(gpu, p, plan);
      }
    });
