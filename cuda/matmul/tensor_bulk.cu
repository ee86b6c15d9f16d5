// `tensor` with stages that bulk tensor copies fill. In `tensor`, warps that
// multiply also copy and wait for each other at every stage. Here one thread of
// a third warpgroup asks for boxes of A and B; eight warps multiply; barriers
// in shared memory tell which stage has arrived and which is free. A block has
// a multiprocessor to itself and stays for all its tiles. A tile is 128 x 128,
// which needs two thirds of the L2 reads of two tiles of 128 x 64. It is
// smaller if less of the device is idle then. Large tiles that are left over
// when all blocks have equally many are cut along k into equal shares, one per
// block; parts of tiles go to scratch memory, and a second kernel adds them up,
// in order. (Osama et al., Stream-K, 2023.) If there are fewer tiles than
// blocks, all are cut. A last column of tiles with few columns of C costs less
// and is divided accordingly: columns outside C are neither copied nor
// multiplied.
//
// Bulk copies need rows aligned to 16 bytes. If a matrix has others, all
// threads of the third warpgroup copy its elements. Problems too small for
// these tiles are left to `tensor`.
#include <algorithm>

#include "gpu/warpgroup.hpp"
#include "tensor.cuh"

using namespace parlab;

namespace {

// As in tensor.cuh. eights: groups of 8 rows multiplied at a time. narrow:
// whether there is a kernel for a last column of narrow tiles. early: the
// barrier of the next stage is tested one group of products before the stage is
// needed, so that the answer is there by then. sharing: as `begin`, for the
// parts of tiles that are shared.
struct SquareTile {
  static constexpr int rows = 128, cols = 128, warp_rows = 64, warp_cols = 32;
  static constexpr int eights = 2;
  static constexpr bool narrow = true, early = true;
  static constexpr double share = 0.96, begin = 1.6e6, sharing = 3.2e6;
};
struct OblongTile {
  static constexpr int rows = 128, cols = 96, warp_rows = 32, warp_cols = 48;
  static constexpr int eights = 2;
  static constexpr bool narrow = false, early = true;
  static constexpr double share = 0.97, begin = 1.4e6, sharing = 2.9e6;
};
struct SmallerTile {
  static constexpr int rows = 96, cols = 96, warp_rows = 24, warp_cols = 48;
  static constexpr int eights = 1;
  static constexpr bool narrow = false, early = false;
  static constexpr double share = 1.01, begin = 1.4e6, sharing = 2.6e6;
};
struct HalfTile {
  static constexpr int rows = 128, cols = 64, warp_rows = 32, warp_cols = 32;
  static constexpr int eights = 2;
  static constexpr bool narrow = false, early = false;
  static constexpr double share = 1.03, begin = 1.2e6, sharing = 2.2e6;
};

constexpr int bulk_threads = 384, bulk_copier = 256,  // the thread that copies
    bulk_copiers = bulk_threads - bulk_copier;

// Constants that follow from a tile.
template <typename Tile>
struct BulkTiling : Tile {
  static constexpr int warps_down = Tile::rows / Tile::warp_rows;
  static_assert(warps_down * (Tile::cols / Tile::warp_cols) == 8);
  // per warp: groups of rows multiplied at a time, and groups of 16 columns
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
  static constexpr int fit = 200 * 1024 / stage_bytes,
                       stages = fit < 8 ? fit : 8;
  static constexpr int shared_bytes = stages * stage_bytes + 1024;
};

// The division of the work. Tiles are numbered; the last numbers are those of
// the last column of tiles, which cost less if it has little of C. Each tile
// before first_tile is computed as a whole by one block, in turn. All steps of
// the others are numbered, and block b has those from first_step(b) on, so that
// all blocks have the same cost.
struct Shares {
  static constexpr int full = 16;  // the cost of a step of an inner tile

  int down, across;  // tiles
  int inner_across;  // tiles of full cost
  int first_tile, steps_of_tile, blocks;
  int inner_steps, last_steps, last_cost;  // of the shared tiles

  __host__ __device__ int tiles() const { return down * across; }
  __host__ __device__ bool any() const { return first_tile < tiles(); }
  __host__ __device__ std::int64_t cost_before(int step) const {
    const int inner = step < inner_steps ? step : inner_steps;
    return std::int64_t{inner} * full + std::int64_t{step - inner} * last_cost;
  }
  __host__ __device__ std::int64_t all_costs() const {
    return cost_before(inner_steps + last_steps);
  }

  __device__ int first_step(int block) const {
    const std::int64_t before = block * all_costs() / blocks,
                       inner = std::int64_t{inner_steps} * full;
    return static_cast<int>(before < inner
                                ? before / full
                                : inner_steps + (before - inner) / last_cost);
  }
  __device__ int block_of(int step) const {
    int block = static_cast<int>(cost_before(step) * blocks / all_costs());
    while (first_step(block) > step)
      --block;
    while (first_step(block + 1) <= step)
      ++block;
    return block;
  }
};

// A unit of a block's work: some steps of a tile, all or a part of them.
struct Piece {
  int tile, begin, steps;
};

// The pieces of this block: first those of shared tiles, so that their parts
// are stored when the others end, then whole tiles. A piece is computed again
// at each use, because the sums need the registers.
struct Pieces {
  int begin, end;  // of the shared steps
  int shared, count;

  __device__ __forceinline__ explicit Pieces(const Shares& shares)
      : begin(0), end(0), shared(0) {
    const int block = blockIdx.x, of_tile = shares.steps_of_tile;
    if (shares.any()) {
      begin = shares.first_step(block), end = shares.first_step(block + 1);
      if (begin < end) shared = (end - 1) / of_tile - begin / of_tile + 1;
    }
    const int left = shares.first_tile - block;
    count = shared + max(0, (left + shares.blocks - 1) / shares.blocks);
  }

  __device__ __forceinline__ Piece at(const Shares& shares, int i) const {
    const int block = blockIdx.x, of_tile = shares.steps_of_tile;
    if (i >= shared) return {block + (i - shared) * shares.blocks, 0, of_tile};
    const int tile = begin / of_tile + i, first = tile * of_tile,
              from = max(begin, first), to = min(end, first + of_tile);
    return {shares.first_tile + tile, from - first, to - from};
  }
};

template <typename S>
__device__ __forceinline__ void place_of_piece(const Shares& shares, int tile,
                                               int& row0, int& col0) {
  const int inner = shares.down * shares.inner_across;
  int row = tile - inner, col = shares.across - 1;
  if (tile < inner)
    place_of_tile<8>(tile, shares.down, shares.inner_across, row, col);
  row0 = row * S::rows, col0 = col * S::cols;
}

// The place of a thread's first sums in the tile: of each 8 rows and 16 columns
// it has rows t and t + 4, columns 2 g and 2 g + 1, with g = lane / 4 and t =
// lane % 4.
template <typename S>
__device__ __forceinline__ int first_row() {
  const int thread = threadIdx.x;
  return thread / 32 % S::warps_down * S::warp_rows + thread % 4;
}
template <typename S>
__device__ __forceinline__ int first_col() {
  const int thread = threadIdx.x;
  return thread / 32 / S::warps_down * S::warp_cols + thread % 32 / 4 * 2;
}

// As in tensor.cuh, except for the order of rows within an eight: with this
// one, neighbouring lanes read A from different banks.
template <typename S>
struct BulkOperands {
  Pair a[2][S::eights];
  Pair b[2][S::across][2];
  int a_at[2], b_at[2];  // byte offsets: both eights, two rows of B

  __device__ __forceinline__ BulkOperands() {
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4,
              t = threadIdx.x % 4;
    const int row = g / 2 + g % 2 * 4,
              row0 = warp % S::warps_down * S::warp_rows,
              panel = warp / S::warps_down * S::across;
    for (int i = 0; i < 2; ++i) {
      const int of_b = 2 * t + i;
      a_at[i] = (row0 + row) * S::row_bytes + ((i * 4 + t) ^ row) * 16;
      b_at[i] = S::a_bytes + panel * S::panel_bytes + of_b * S::row_bytes +
                (g ^ of_b) * 16;
    }
  }

  // i: which eight columns of A. r: which group of rows.
  __device__ __forceinline__ void read_a(int set, const unsigned char* stage,
                                         int i, int r) {
    _Pragma("unroll")
    for (int e = 0; e < S::eights; ++e) {
      a[set][e] = *reinterpret_cast<const Pair*>(
          stage + a_at[i] + (r * S::eights + e) * 8 * S::row_bytes);
    }
  }

  // across: the number of groups of 16 columns.
  __device__ __forceinline__ void read_b(int set, const unsigned char* stage,
                                         int i, int across = S::across) {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      if (s >= across) continue;
      _Pragma("unroll")
      for (int j = 0; j < 2; ++j) {
        b[set][s][j] = *reinterpret_cast<const Pair*>(
            stage + b_at[j] + s * S::panel_bytes + i * 8 * S::row_bytes);
      }
    }
  }

  __device__ __forceinline__ void multiply_add(
      int set_a, int set_b, double (&sum)[S::across][S::eights][4],
      int across = S::across) const {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      if (s >= across) continue;
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

// A thread's share of the copies of A or B, ROWS x COLS of a stage, for rows of
// odd length. The matrix begins at a multiple of 16 bytes, and so do its even
// rows, which are copied 16 bytes at a time; odd rows are copied 8 at a time.
// They are laid out as by bulk copies.
template <typename S, int ROWS, int COLS, bool NARROW>
struct OddRows {
  // Threads side by side cover `span` columns. A thread's other copies follow
  // at multiples of these steps, which the permutation moves alike.
  static constexpr int span = COLS < 32 ? COLS : 32,
                       even_step = 4 * bulk_copiers / span,
                       odd_step = 2 * bulk_copiers / span;
  static_assert(COLS % span == 0 && ROWS % even_step == 0 && odd_step % 8 == 0);

  const double *even, *odd;
  int even_row, even_col, odd_row, odd_col, even_to, odd_to;

  __device__ __forceinline__ OddRows() {
    const int thread = threadIdx.x % bulk_copiers;
    even_row = thread / (span / 2) * 2, even_col = thread % (span / 2) * 2;
    odd_row = thread / span * 2 + 1, odd_col = thread % span;
    even_to = place(even_row, even_col), odd_to = place(odd_row, odd_col);
  }

  // Byte offset in this part of a stage.
  __device__ __forceinline__ static int place(int row, int col) {
    return col / 16 * S::panel_bytes + row * S::row_bytes +
           (col % 16 / 2 ^ row % 8) * 16 + col % 2 * 8;
  }

  // from: the first element of the next stage; pitch: in elements.
  __device__ __forceinline__ void begin(const double* from,
                                        std::int64_t pitch) {
    even = from + even_row * pitch + even_col;
    odd = from + odd_row * pitch + odd_col;
  }
  __device__ __forceinline__ void advance(std::int64_t elements) {
    even += elements, odd += elements;
  }

  // rows, cols: how many exist, from the first element on. NARROW: places well
  // beyond the columns are not filled.
  template <bool TESTED>
  __device__ __forceinline__ void start(unsigned char* to, std::int64_t pitch,
                                        int rows, int cols) const {
    constexpr int element = sizeof(double);
    _Pragma("unroll")
    for (int row = 0; row < ROWS; row += even_step) {
      _Pragma("unroll")
      for (int col = 0; col < COLS; col += span) {
        if (NARROW && TESTED && col >= cols) continue;
        const int there = even_row + row < rows ? cols - even_col - col : 0;
        load_async<2 * element>(
            to + even_to + place(row, col), even + row * pitch + col,
            TESTED ? max(0, min(there, 2)) * element : 2 * element);
      }
    }
    _Pragma("unroll")
    for (int row = 0; row < ROWS; row += odd_step) {
      _Pragma("unroll")
      for (int col = 0; col < COLS; col += span) {
        if (NARROW && TESTED && col >= cols) continue;
        const bool there = odd_row + row < rows && odd_col + col < cols;
        load_async<element>(to + odd_to + place(row, col),
                            odd + row * pitch + col,
                            TESTED && !there ? 0 : element);
      }
    }
  }

  // The same; most stages need no test.
  __device__ __forceinline__ void start(unsigned char* to, std::int64_t pitch,
                                        std::int64_t rows,
                                        std::int64_t cols) const {
    if (rows >= ROWS && cols >= COLS) {
      start<false>(to, pitch, ROWS, COLS);
    } else {
      start<true>(to, pitch, static_cast<int>(min(rows, std::int64_t{ROWS})),
                  static_cast<int>(min(cols, std::int64_t{COLS})));
    }
  }
};

// Two neighbours in a row of C.
__device__ __forceinline__ void store(const Matmul::Args<double>& p, int row,
                                      int col, double one, double two) {
  if (row >= p.m || col >= p.n) return;
  double* const at = p.c + row * p.n + col;
  if (p.n % 2 == 0) {
    *reinterpret_cast<Pair*>(at) = {one, two};
  } else {
    at[0] = one;
    if (col + 1 < p.n) at[1] = two;
  }
}

// Two sums of each of the 256 threads, side by side. Only the first and the
// last of a block's shared tiles can be parts.
template <typename S>
__device__ __forceinline__ Pair* bulk_part(double* parts, int block,
                                           bool second, int pair) {
  return reinterpret_cast<Pair*>(parts) +
         (std::int64_t{block} * 2 + second) * (S::rows * S::cols / 2) +
         pair * bulk_copier + threadIdx.x;
}

// Stores to C, or stores a part to scratch memory.
template <typename S>
__device__ __forceinline__ void store_piece(
    const Matmul::Args<double>& p, double* parts, const Shares& shares,
    const Pieces& pieces, int i,
    const double (&sum)[S::down][S::across][S::eights][4]) {
  const Piece piece = pieces.at(shares, i);
  if (piece.steps < shares.steps_of_tile) {
    const double* const all = &sum[0][0][0][0];
    _Pragma("unroll")
    for (int e = 0; e < S::sums / 2; ++e) {
      *bulk_part<S>(parts, blockIdx.x, i > 0, e) = {all[2 * e], all[2 * e + 1]};
    }
    return;
  }
  int row, col;
  place_of_piece<S>(shares, piece.tile, row, col);
  row += first_row<S>(), col += first_col<S>();
  _Pragma("unroll")
  for (int r = 0; r < S::down; ++r) {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      _Pragma("unroll")
      for (int e = 0; e < S::eights; ++e) {
        const double(&part)[4] = sum[r][s][e];
        const int at = row + (r * S::eights + e) * 8;
        store(p, at, col + s * 16, part[0], part[2]);
        store(p, at + 4, col + s * 16, part[1], part[3]);
      }
    }
  }
}

// The third warpgroup's work: it fills stages. BULK: by boxes alone, requested
// by one thread; otherwise all threads copy the operands that have odd rows.
// NARROW: columns of tiles that are not multiplied are left out.
template <typename S, bool BULK, bool NARROW>
__device__ __forceinline__ void copy_stages(const TensorMap& a,
                                            const TensorMap& b,
                                            const Matmul::Args<double>& p,
                                            const Shares& shares,
                                            unsigned char* stages,
                                            Barrier* full, Barrier* empty) {
  const bool asks = threadIdx.x == bulk_copier;
  if (BULK && !asks) return;
  const bool boxes_of_a = BULK || p.k % 2 == 0,
             boxes_of_b = BULK || p.n % 2 == 0;
  OddRows<S, S::rows, S::depth, NARROW> odd_a;
  OddRows<S, S::depth, S::cols, NARROW> odd_b;

  Ring<S::stages> ring;
  const Pieces pieces(shares);
  for (int i = 0; i < pieces.count; ++i) {
    const Piece piece = pieces.at(shares, i);
    int row0, col0;
    place_of_piece<S>(shares, piece.tile, row0, col0);
    int k0 = piece.begin * S::depth;
    const int there = static_cast<int>((p.n - col0 + 15) / 16),
              panels = NARROW ? min(S::panels, there) : S::panels;
    const int announced = (boxes_of_a ? S::a_bytes : 0) +
                          (boxes_of_b ? panels * S::panel_bytes : 0);
    if (!BULK) {
      odd_a.begin(p.a + row0 * p.k + k0, p.k);
      odd_b.begin(p.b + k0 * p.n + col0, p.n);
    }
    for (int step = 0; step < piece.steps; ++step, ring.advance()) {
      Barrier& arrived = full[ring.stage];
      unsigned char* const stage = stages + ring.stage * S::stage_bytes;
      wait(empty[ring.stage], ring.parity ^ 1);  // no wait at first
      if (asks) {
        arrive_expecting(arrived, announced);
        if (boxes_of_a) load_box(stage, a, arrived, k0, row0);
        _Pragma("unroll 1")
        for (int panel = 0; panel < panels && boxes_of_b; ++panel) {
          load_box(stage + S::a_bytes + panel * S::panel_bytes, b, arrived,
                   col0 + panel * 16, k0);
        }
      }
      if constexpr (!BULK) {
        if (!boxes_of_a) odd_a.start(stage, p.k, p.m - row0, p.k - k0);
        if (!boxes_of_b) {
          odd_b.start(stage + S::a_bytes, p.n, p.k - k0, p.n - col0);
        }
        arrive_after_copies(arrived);
        odd_a.advance(S::depth);
        odd_b.advance(S::depth * p.n);
      }
      k0 += S::depth;
    }
  }
}

// The number of groups of 16 columns of a warp's part of a tile that are in C.
template <typename S>
__device__ __forceinline__ int groups_across(const Matmul::Args<double>& p,
                                             const Shares& shares, int tile) {
  int row0, col0;
  place_of_piece<S>(shares, tile, row0, col0);
  const int warp = threadIdx.x / 32;
  const std::int64_t there = p.n - col0 - warp / S::warps_down * S::warp_cols;
  return static_cast<int>(
      max(std::int64_t{0}, min((there + 15) / 16, std::int64_t{S::across})));
}

// Signals that a stage has been read. BULK: copies into it wait for one arrival
// of each warp. Otherwise all threads arrive: compute-sanitizer counts only a
// thread's own reads before its arrival, not those of its warp.
template <bool BULK>
__device__ __forceinline__ void arrive_after_reads(Barrier& empty) {
  if (BULK) __syncwarp();
  if (!BULK || threadIdx.x % 32 == 0) arrive(empty);
}

// The products of a warp. While one group of rows is multiplied, the next is
// read.
template <typename S, bool BULK>
__device__ __forceinline__ void multiply_all(
    int steps, const unsigned char* stages, Barrier* full, Barrier* empty,
    Ring<S::stages>& ring, BulkOperands<S>& operands,
    double (&sum)[S::down][S::across][S::eights][4]) {
  // The group of rows before which the ring moves on to the next stage.
  constexpr int moves_on = S::down - (S::early ? 2 : 1);
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
    arrive_after_reads<BULK>(done);
  }
}

// The same if only some groups of columns are in C: each is read first.
template <typename S, bool BULK>
__device__ __forceinline__ void multiply_some(
    int across, int steps, const unsigned char* stages, Barrier* full,
    Barrier* empty, Ring<S::stages>& ring, BulkOperands<S>& operands,
    double (&sum)[S::down][S::across][S::eights][4]) {
  _Pragma("unroll 1")
  for (int step = 0; step < steps; ++step, ring.advance()) {
    wait(full[ring.stage], ring.parity);
    const unsigned char* const from = stages + ring.stage * S::stage_bytes;
    _Pragma("unroll")
    for (int i = 0; i < 2; ++i) {
      if (across == 0) continue;
      operands.read_b(i, from, i, across);
      _Pragma("unroll")
      for (int r = 0; r < S::down; ++r) {
        operands.read_a(r % 2, from, i, r);
        operands.multiply_add(r % 2, i, sum[r], across);
      }
    }
    arrive_after_reads<BULK>(empty[ring.stage]);
  }
}

// NARROW: the last column of tiles has few columns of C. This is a separate
// kernel, because two ways to multiply in one slow each by up to 3 %.
template <typename S, bool BULK, bool NARROW>
__global__ void __launch_bounds__(bulk_threads, 1)
    matmul_tensor_bulk(const PARLAB_GRID_CONSTANT TensorMap a,
                       const PARLAB_GRID_CONSTANT TensorMap b,
                       Matmul::Args<double> p, double* parts, Shares shares) {
  unsigned char* const shared = shared_memory<unsigned char>();
  // Aligned, because the permutation depends on addresses.
  unsigned char* const stages =
      shared + (1024 - shared_address(shared) % 1024) % 1024;
  __shared__ Barrier full[S::stages], empty[S::stages];
  let_next_launch_begin();
  if (threadIdx.x == 0) {
    if (BULK || p.k % 2 == 0) prefetch(a);
    if (BULK || p.n % 2 == 0) prefetch(b);
    for (Barrier& barrier : full)
      init_barrier(barrier, BULK ? 1 : 1 + bulk_copiers);
    for (Barrier& barrier : empty)
      init_barrier(barrier, BULK ? bulk_copier / 32 : bulk_copier);
    publish_barriers();
  }
  __syncthreads();

  if (threadIdx.x >= bulk_copier) {  // ---- the third warpgroup copies
    give_registers<BULK ? 40 : 80>();
    copy_stages<S, BULK, NARROW>(a, b, p, shares, stages, full, empty);
    return;
  }

  take_registers<BULK ? 232 : 208>();  // ---- two multiply
  Ring<S::stages> ring;
  const Pieces pieces(shares);
  BulkOperands<S> operands;
  _Pragma("unroll 1")
  for (int number = 0; number < pieces.count; ++number) {
    const Piece piece = pieces.at(shares, number);
    double sum[S::down][S::across][S::eights][4] = {};
    const int across =
        NARROW ? groups_across<S>(p, shares, piece.tile) : S::across;
    if (across < S::across) {
      multiply_some<S, BULK>(across, piece.steps, stages, full, empty, ring,
                             operands, sum);
    } else {
      multiply_all<S, BULK>(piece.steps, stages, full, empty, ring, operands,
                            sum);
    }
    store_piece<S>(p, parts, shares, pieces, number, sum);
  }
}

// Adds the parts of shared tile blockIdx.x, for four sums of each thread, which
// blockIdx.y selects. Threads find the parts, one each, before these are
// there; then the reads of a part need not wait for those of another.
template <typename S>
__global__ void __launch_bounds__(bulk_copier)
    matmul_tensor_bulk_add(Matmul::Args<double> p, double* parts,
                           Shares shares) {
  const int begin = blockIdx.x * shares.steps_of_tile,
            end = begin + shares.steps_of_tile;
  const int first = shares.block_of(begin),
            count = shares.block_of(end - 1) - first + 1;

  // 0: a block without steps, if there are fewer steps than blocks. 2: a block
  // that had steps of another tile before these.
  __shared__ unsigned char kinds[bulk_copier];
  if (static_cast<int>(threadIdx.x) < count) {
    const int block = first + static_cast<int>(threadIdx.x);
    const int from = shares.first_step(block);
    kinds[threadIdx.x] =
        from == shares.first_step(block + 1) ? 0 : (from < begin ? 2 : 1);
  }
  wait_for_launch_before();
  if (count == 1) return;  // computed by one block, which stored it

  __syncthreads();
  const int four = blockIdx.y;
  double sum[4] = {};
  _Pragma("unroll 4")
  for (int i = 0; i < count; ++i) {
    const int kind = kinds[i];
    if (kind == 0) continue;
    _Pragma("unroll")
    for (int half = 0; half < 2; ++half) {
      const Pair part =
          *bulk_part<S>(parts, first + i, kind == 2, four * 2 + half);
      sum[2 * half] += part.element[0];
      sum[2 * half + 1] += part.element[1];
    }
  }

  int row, col;
  place_of_piece<S>(shares, shares.first_tile + static_cast<int>(blockIdx.x),
                    row, col);
  const int e = four % S::eights, s = four / S::eights % S::across,
            r = four / S::eights / S::across;
  row += first_row<S>() + (r * S::eights + e) * 8;
  col += first_col<S>() + s * 16;
  store(p, row, col, sum[0], sum[2]);
  store(p, row + 4, col, sum[1], sum[3]);
}

// The kernel for narrow tiles is used if its tiles need at most this share of
// the time of whole ones.
constexpr double of_narrow = 0.97;

// The time of all tiles, in units of a whole tile's.
double whole_tiles(const Shares& shares) {
  return ceil_div(shares.first_tile, shares.blocks) +
         static_cast<double>(shares.all_costs()) /
             (std::int64_t{Shares::full} * shares.steps_of_tile *
              shares.blocks);
}

// The cost of a step of a tile with `there` columns in C. The warps of every
// second 32 columns share two of the four units of a multiprocessor.
template <typename S>
int cost_of_columns(std::int64_t there) {
  constexpr int waiting = 2, warp = S::across;
  const auto groups = static_cast<int>(ceil_div(there, 16));
  const int of_units =
      std::min(groups, warp) + std::clamp(groups - 2 * warp, 0, warp);
  return std::min(Shares::full, Shares::full * of_units / (2 * warp) + waiting);
}

template <typename S>
Shares shares_of(Gpu& gpu, const Matmul::Args<double>& p) {
  const auto down = static_cast<int>(ceil_div(p.m, S::rows)),
             across = static_cast<int>(ceil_div(p.n, S::cols)),
             of_tile = static_cast<int>(ceil_div(p.k, S::depth));
  const int tiles = down * across;
  // so that a thread each finds the parts of a tile
  const int most = std::min(gpu.multiprocessors(), bulk_copier);
  const Shares whole{.down = down,
                     .across = across,
                     .inner_across = across,
                     .first_tile = tiles,
                     .steps_of_tile = of_tile,
                     .blocks = std::min(most, tiles),
                     .inner_steps = 0,
                     .last_steps = 0,
                     .last_cost = Shares::full};
  const auto shared_at = [&](int last_cost) {
    Shares shares = whole;
    shares.last_cost = last_cost;
    shares.blocks = most;
    if (last_cost < Shares::full) --shares.inner_across;
    const int inner = down * shares.inner_across;
    shares.first_tile = inner / most * most;
    shares.inner_steps = (inner - shares.first_tile) * of_tile;
    shares.last_steps = (tiles - inner) * of_tile;
    return shares;
  };
  const std::int64_t last_cols = p.n - std::int64_t{across - 1} * S::cols;
  const Shares alike = shared_at(Shares::full),
               narrow = shared_at(cost_of_columns<S>(last_cols));
  // The kernel for narrow tiles pays only beside many whole ones.
  const Shares& best =
      S::narrow && tiles >= most &&
              whole_tiles(narrow) < of_narrow * whole_tiles(alike)
          ? narrow
          : alike;

  const double saved = (whole_tiles(whole) - whole_tiles(best)) *
                       static_cast<double>(p.k) * S::rows * S::cols * S::share;
  return saved < S::sharing ? whole : best;
}

// As in tensor.cuh.
template <typename S>
double estimate_bulk(Gpu& gpu, const Matmul::Args<double>& p) {
  const Shares shares = shares_of<S>(gpu, p);
  return whole_tiles(shares) * S::rows * S::cols * S::share +
         (S::begin + (shares.any() ? S::sharing : 0)) /
             static_cast<double>(p.k);
}

// BULK: no matrix has rows of odd length.
template <typename S, bool BULK>
void launch_bulk(Gpu& gpu, const Matmul::Args<double>& p) {
  const Shares shares = shares_of<S>(gpu, p);
  double* const parts = shares.any()
                            ? gpu.scratch<double>(std::int64_t{shares.blocks} *
                                                  2 * S::rows * S::cols)
                            : nullptr;
  const auto map = [](const double* data, std::int64_t rows, std::int64_t cols,
                      int box_rows) {
    if (cols % 2 != 0) return TensorMap{};  // threads copy it
    const auto pitch = cols * static_cast<std::int64_t>(sizeof(double));
    return tensor_map({.element = MapElement::float64,
                       .data = data,
                       .extent = {cols, rows, 1},
                       .pitch = {pitch, rows * pitch},
                       .box = {16, box_rows, 1},
                       .swizzle = S::row_bytes});
  };
  auto kernel = matmul_tensor_bulk<S, BULK, false>;
  if constexpr (S::narrow) {
    if (shares.inner_across < shares.across)
      kernel = matmul_tensor_bulk<S, BULK, true>;
  }
  gpu.launch({.grid = {shares.blocks},
              .block = {bulk_threads},
              .shared_bytes = S::shared_bytes},
             kernel, map(p.a, p.m, p.k, S::rows), map(p.b, p.k, p.n, S::depth),
             p, parts, shares);
  if (!shares.any()) return;
  gpu.launch({.grid = {shares.tiles() - shares.first_tile, S::sums / 4},
              .block = {bulk_copier},
              .overlaps = true},
             matmul_tensor_bulk_add<S>, p, parts, shares);
}

// For rows of odd length. of_copy: the time in which `tensor` copies a row of A
// or a column of B, in multiply-adds of a multiprocessor per column of A.
// unaligned: how much longer `tensor` takes on whole tiles if rows are no
// multiples of 32 bytes. of_odd_rows: how much longer these tiles take per
// matrix that threads copy, at 1009 on an H200; less at larger sizes.
constexpr double of_copy = 1.2, unaligned = 1.25, of_odd_rows = 0.05;

}  // namespace

const Register<Matmul, double> variant(
    {
        .rung = 18,
        .idea = "as tensor, with stages that bulk copies fill, tiles up to 128 "
                "x 128, the last ones shared",
        .units = {{Dtype::f64, "tensor double"}},
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      refuse_without_warpgroups();
      TensorPlan plan = plan_tensor(gpu, p);
      const auto odd = static_cast<double>(p.k % 2 + p.n % 2);
      if (odd > 0 && copies_operands(p)) {
        plan.time +=
            of_copy * static_cast<double>(p.k % 2 * p.m + p.n % 2 * p.n);
      } else if (plan.parts == 1 && p.k % 4 + p.n % 4 > 0) {
        plan.time *= unaligned;
      }
      double best = plan.time;
      void (*launch)(Gpu&, const Matmul::Args<double>&) = nullptr;
      const auto enter = [&]<typename S>(S) {
        const double time = estimate_bulk<S>(gpu, p) * (1 + of_odd_rows * odd);
        if (time >= best) return;
        best = time;
        launch = odd > 0 ? launch_bulk<S, false> : launch_bulk<S, true>;
      };
      enter(BulkTiling<SquareTile>());
      enter(BulkTiling<OblongTile>());
      enter(BulkTiling<SmallerTile>());
      enter(BulkTiling<HalfTile>());
      if (launch != nullptr) {
        launch(gpu, p);
      } else {
        multiply(gpu, p, plan);
      }
    });
