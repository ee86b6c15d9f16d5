// The tiles and the kernel of `tensor`; `tensor_bulk` uses them if its own
// tiles are too large.
#pragma once

#include <cuda_pipeline.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "aligned.cuh"
#include "gpu/overlap.hpp"
#include "gpu/tensor_cores.hpp"
#include "parts.cuh"
#include "place.cuh"
#include "slices.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// rows x cols: of C, per block and per warp. depth: columns of A in a stage of
// shared memory, divided among the slices; a slice is a group of warps that has
// the whole tile. product: columns of A multiplied at a time. share: relative
// time for the same work. waiting: tiles that a multiprocessor's few blocks
// cost more. begin: the time before and after the tiles, in elements of C times
// columns of A. As measured on an H200.
struct LargeTile {
  static constexpr int rows = 128, cols = 64, warp_rows = 64, warp_cols = 32;
  static constexpr int depth = 16, product = 8, slices = 1, stages = 4,
                       blocks_per_sm = 2;
  static constexpr double share = 1.05, waiting = 0, begin = 2.3e6;
};
// For problems of medium size: eight warps share a block's work.
struct WholeTile {
  static constexpr int rows = 128, cols = 64, warp_rows = 32, warp_cols = 32;
  static constexpr int depth = 32, product = 16, slices = 1, stages = 4,
                       blocks_per_sm = 1;
  static constexpr double share = 1, waiting = 0, begin = 2.4e6;
};
// For 512 x 512 to 1200 x 1200: the number of these tiles is often just below
// that of multiprocessors.
struct BroadTile {
  static constexpr int rows = 80, cols = 64, warp_rows = 16, warp_cols = 32;
  static constexpr int depth = 32, product = 16, slices = 1, stages = 4,
                       blocks_per_sm = 1;
  static constexpr double share = 1.25, waiting = 0, begin = 1.4e6;
};
struct MiddleTile {
  static constexpr int rows = 48, cols = 64, warp_rows = 16, warp_cols = 32;
  static constexpr int depth = 32, product = 8, slices = 2, stages = 4,
                       blocks_per_sm = 1;
  static constexpr double share = 1.16, waiting = 0.05, begin = 1.12e6;
};
struct SmallTile {
  static constexpr int rows = 32, cols = 64, warp_rows = 16, warp_cols = 32;
  static constexpr int depth = 32, product = 16, slices = 1, stages = 3,
                       blocks_per_sm = 3;
  static constexpr double share = 1.07, waiting = 0.4, begin = 0.95e6;
};
// As many elements and twice as many warps, for less than two tiles per
// multiprocessor.
struct TallTile {
  static constexpr int rows = 64, cols = 32, warp_rows = 16, warp_cols = 32;
  static constexpr int depth = 32, product = 8, slices = 2, stages = 4,
                       blocks_per_sm = 2;
  static constexpr double share = 1.115, waiting = 0.18, begin = 1.07e6;
};
struct TinyTile {
  static constexpr int rows = 32, cols = 32, warp_rows = 16, warp_cols = 32;
  static constexpr int depth = 64, product = 16, slices = 2, stages = 3,
                       blocks_per_sm = 2;
  static constexpr double share = 1.32, waiting = 0.34, begin = 1.03e6;
};

// Constants that follow from a tile.
template <typename Tile>
struct Tiling : Tile {
  static constexpr int warps_down = Tile::rows / Tile::warp_rows;
  // per slice
  static constexpr int warps = warps_down * (Tile::cols / Tile::warp_cols);
  static constexpr int slice_threads = 32 * warps,
                       threads = slice_threads * Tile::slices;
  // The threads that copy. Each copies the same columns of several rows.
  static constexpr int copiers = std::bit_floor(static_cast<unsigned>(threads));
  // per warp
  static constexpr int down = Tile::warp_rows / 16,
                       across = Tile::warp_cols / 16;
  static constexpr int depth = Tile::depth, slice_depth = depth / Tile::slices;
  // per stage
  static constexpr int product = Tile::product,
                       products = slice_depth / product;
  static constexpr int stages = Tile::stages;
  static_assert(products % 2 == 0 && products * product == slice_depth &&
                depth % 16 == 0);

  static constexpr int b_begin = Tile::rows * depth,
                       stage = b_begin + depth * Tile::cols;
  static constexpr int sums = (Tile::slices - 1) * Tile::rows * Tile::cols;
  static constexpr int shared_bytes =
      (stages * stage > sums ? stages * stage : sums) *
      static_cast<int>(sizeof(double));

  // The places of the tiles' elements in a stage: pairs of neighbours in a
  // row, permuted so that eight neighbouring lanes read from different
  // banks.
  static constexpr int a_place(int row, int col) {
    return row * depth + (col ^ row % 2 * 8);
  }
  static constexpr int b_place(int row, int col) {
    return b_begin + row * Tile::cols + (col ^ row % 8 / 2 * 4);
  }
};

struct alignas(16) Pair {
  double element[2];
};

// A thread's copies into shared memory: WIDTH elements of each tile, and more
// at these steps of rows. Places outside A and B become zero in shared memory.
// a_pitch, b_pitch: elements from one row to the next.
template <int WIDTH, typename S>
struct Copies {
  static constexpr int a_across = S::depth / WIDTH, b_across = S::cols / WIDTH;
  static constexpr int a_step = S::copiers / a_across,
                       b_step = S::copiers / b_across;
  static_assert(S::rows % a_step == 0 && S::depth % b_step == 0);

  std::int64_t a_pitch, b_pitch;
  const double *next_a, *next_b;
  int a_to, b_to;     // in a stage
  int a_col, b_row;   // in the tiles
  int rows_left;      // of A, from the thread's own on
  bool has_cols;      // whether its columns of B exist
  bool inside;        // whether the whole tile exists
  std::int64_t left;  // columns of A and rows of B not copied yet

  __device__ __forceinline__ Copies(const Matmul::Args<double>& p,
                                    std::int64_t a_pitch_,
                                    std::int64_t b_pitch_, std::int64_t row0,
                                    std::int64_t col0)
      : a_pitch(a_pitch_), b_pitch(b_pitch_), left(p.k) {
    const int thread = threadIdx.x;
    const int a_row = thread / a_across, b_col = thread % b_across * WIDTH;
    a_col = thread % a_across * WIDTH, b_row = thread / b_across;
    a_to = S::a_place(a_row, a_col), b_to = S::b_place(b_row, b_col);
    next_a = p.a + (row0 + a_row) * a_pitch + a_col;
    next_b = p.b + b_row * b_pitch + col0 + b_col;
    rows_left =
        static_cast<int>(min(p.m - row0, std::int64_t{S::rows})) - a_row;
    has_cols = col0 + b_col < p.n;
    inside = row0 + S::rows <= p.m && col0 + S::cols <= p.n;
  }

  // A zero has no source: nothing is read for it.
  __device__ __forceinline__ static void put(double* to, const double* from,
                                             bool there) {
    __pipeline_memcpy_async(to, from, WIDTH * sizeof(double),
                            there ? 0 : WIDTH * sizeof(double));
  }

  // Starts the copies of one stage. The bits of the row steps are zero in the
  // thread's own row, so each row permutes the columns independently of the
  // other.
  template <bool TESTED>
  __device__ __forceinline__ void start(double* stage) {
    _Pragma("unroll")
    for (int r = 0; r < S::rows; r += a_step) {
      put(stage + (a_to ^ S::a_place(r, 0) % S::depth) + r * S::depth,
          next_a + r * a_pitch, !TESTED || (a_col < left && r < rows_left));
    }
    _Pragma("unroll")
    for (int i = 0; i < S::depth; i += b_step) {
      put(stage + (b_to ^ S::b_place(i, 0) % S::cols) + i * S::cols,
          next_b + i * b_pitch, !TESTED || (b_row + i < left && has_cols));
    }
    next_a += S::depth;
    next_b += S::depth * b_pitch;
    left -= S::depth;
  }

  // The same; most stages need no test.
  __device__ __forceinline__ void start(double* stage) {
    if (S::copiers < S::threads && threadIdx.x >= S::copiers) return;
    if (inside && left >= S::depth) {
      start<false>(stage);
    } else {
      start<true>(stage);
    }
  }
};

// A lane's elements for the products of one group of 16 rows, twice: while
// one group is multiplied, A's elements of the next are read, and B's too if
// the next group belongs to the next columns of A. The product is C^T = B^T
// A^T, 16 columns and 8 rows of C at a time: two neighbours in a row, of A as
// of B, then lie in neighbouring registers, as the instruction wants them.
// The order of A's columns makes no difference: a lane has two neighbours of
// each eight.
template <typename S>
struct Operands {
  static constexpr int eights = S::product / 8;
  Pair a[2][2][eights];
  Pair b[2][S::across][2 * eights];
  int slice, row, col;  // the warp's slice, and its place in the tile
  // in a stage: for even and for odd eights, and two rows of B
  int a_at[2], b_at;

  __device__ __forceinline__ Operands() {
    const int warp = threadIdx.x / 32 % S::warps, g = threadIdx.x % 32 / 4,
              t = threadIdx.x % 4;
    slice = threadIdx.x / S::slice_threads;
    row = warp % S::warps_down * S::warp_rows;
    col = warp / S::warps_down * S::warp_cols;
    const int first = slice * S::slice_depth;
    for (int i = 0; i < 2; ++i)
      a_at[i] = S::a_place(row + g, first + i * 8 + 2 * t);
    b_at = S::b_place(first + 2 * t, col + 2 * g);
  }

  // i: which of the slice's products of a stage. r: which group of rows.
  __device__ __forceinline__ void read_a(int set, const double* stage, int i,
                                         int r) {
    _Pragma("unroll")
    for (int e = 0; e < eights; ++e) {
      const int eight = i * eights + e;
      _Pragma("unroll")
      for (int part = 0; part < 2; ++part) {
        a[set][part][e] = *reinterpret_cast<const Pair*>(
            stage + a_at[eight % 2] + eight / 2 * 16 +
            (r * 16 + part * 8) * S::depth);
      }
    }
  }

  __device__ __forceinline__ void read_b(int set, const double* stage, int i) {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      _Pragma("unroll")
      for (int j = 0; j < 2 * eights; ++j) {
        const int row_of_b = i * S::product + j / 2 * 8 + j % 2;
        b[set][s][j] = *reinterpret_cast<const Pair*>(
            stage + b_at + row_of_b * S::cols + s * 16);
      }
    }
  }

  __device__ __forceinline__ void multiply_add(
      int set_a, int set_b, double (&sum)[S::across][2][4]) const {
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      double left[S::product / 2];
      _Pragma("unroll")
      for (int i = 0; i < S::product / 2; ++i)
        left[i] = b[set_b][s][i / 2].element[i % 2];
      _Pragma("unroll")
      for (int part = 0; part < 2; ++part) {
        double right[S::product / 4];
        _Pragma("unroll")
        for (int i = 0; i < S::product / 4; ++i)
          right[i] = a[set_a][part][i / 2].element[i % 2];
        tensor_multiply_add<S::product>(sum[s][part], left, right);
      }
    }
  }
};

// row0, col0: where the warp's part begins in C. A lane has 2 by 2 neighbours
// of each 8 rows and 16 columns.
template <typename S>
__device__ __forceinline__ void store(
    double* c, std::int64_t m, std::int64_t n, std::int64_t row0,
    std::int64_t col0, const double (&sum)[S::down][S::across][2][4]) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const bool aligned = n % 2 == 0;
  _Pragma("unroll")
  for (int r = 0; r < 4 * S::down; ++r) {
    const std::int64_t row = row0 + r / 2 * 8 + 2 * t + r % 2;
    if (row >= m) continue;
    _Pragma("unroll")
    for (int s = 0; s < S::across; ++s) {
      const std::int64_t col = col0 + s * 16 + 2 * g;
      const double* const from = sum[r / 4][s][r / 2 % 2] + r % 2;
      const Pair part = {from[0], from[2]};
      double* const at = c + row * n + col;
      if (aligned) {
        if (col < n) *reinterpret_cast<Pair*>(at) = part;
      } else {
        if (col < n) at[0] = part.element[0];
        if (col + 1 < n) at[1] = part.element[1];
      }
    }
  }
}

// 32 columns of the row of C below all tiles: each warp takes every n-th row of
// B, and their sums are added in order.
template <typename S>
__device__ __forceinline__ void fringe_below(const Matmul::Args<double>& p,
                                             std::int64_t a_pitch,
                                             std::int64_t b_pitch,
                                             std::int64_t part) {
  constexpr int warps = S::threads / 32;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t col = part * 32 + lane;
  const double* a = p.a + (p.m - 1) * a_pitch + warp;
  const double* b = p.b + warp * b_pitch + min(col, p.n - 1);
  double sum = 0;
  _Pragma("unroll 16")
  for (std::int64_t i = warp; i < p.k; i += warps) {
    sum += *a * *b;
    a += warps, b += warps * b_pitch;
  }

  double* const sums = shared_memory<double>();
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (warp > 0 || col >= p.n) return;
  _Pragma("unroll")
  for (int other = 1; other < warps; ++other)
    sum += sums[other * 32 + lane];
  p.c[(p.m - 1) * p.n + col] = sum;
}

// A part of the column to the right of all tiles: a warp has some rows, and its
// lanes share k.
constexpr int fringe_rows = 8;
template <typename S>
__device__ __forceinline__ void fringe_right(const Matmul::Args<double>& p,
                                             std::int64_t a_pitch,
                                             std::int64_t b_pitch,
                                             std::int64_t part) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t row0 = (part * (S::threads / 32) + warp) * fringe_rows;
  const std::int64_t rows = without_fringe(p.m, S::rows);
  const double *a[fringe_rows], *b = p.b + lane * b_pitch + p.n - 1;
  double sum[fringe_rows] = {};
  _Pragma("unroll")
  for (int r = 0; r < fringe_rows; ++r)
    a[r] = p.a + min(row0 + r, rows - 1) * a_pitch;
  _Pragma("unroll 4")
  for (std::int64_t i = lane; i < p.k; i += 32) {
    const double right = *b;
    b += 32 * b_pitch;
    _Pragma("unroll")
    for (int r = 0; r < fringe_rows; ++r)
      sum[r] += a[r][i] * right;
  }

  _Pragma("unroll")
  for (int r = 0; r < fringe_rows; ++r) {
    _Pragma("unroll")
    for (int offset = 16; offset > 0; offset /= 2)
      sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], offset);
    if (lane == r && row0 + r < rows) p.c[(row0 + r) * p.n + p.n - 1] = sum[r];
  }
}

// How often an element of A or B must be used to pay for its copy, and how many
// elements a fringe must have to pay for its blocks.
constexpr std::int64_t uses_that_pay = 1500;

// The division of C among blocks. The blocks of the fringes come first, since
// they are done soonest.
template <typename S>
struct Division {
  std::int64_t down, across, below = 0, right = 0;

  __host__ __device__ Division(std::int64_t m, std::int64_t n) {
    const bool fringes = m >= uses_that_pay && n >= uses_that_pay;
    const std::int64_t rows = fringes ? without_fringe(m, S::rows) : m,
                       cols = fringes ? without_fringe(n, S::cols) : n;
    down = ceil_div(rows, S::rows), across = ceil_div(cols, S::cols);
    if (rows < m) below = ceil_div(n, 32);
    if (cols < n) right = ceil_div(rows, S::threads / 32 * fringe_rows);
  }
  __host__ __device__ std::int64_t tiles() const { return down * across; }
  bool has_fringes() const { return below + right > 0; }
};

// WIDTH: elements copied at once from the rows of A and B, which begin at
// multiples of their pitches; 2 if all rows are aligned to 16 bytes. parts: of
// no use unless several blocks share a tile.
template <int WIDTH, bool SHARED, typename S>
__device__ __forceinline__ void multiply_by_block(
    Matmul::Args<double> p, std::int64_t a_pitch, std::int64_t b_pitch,
    const PartsOfK<double>& parts) {
  double* const shared = shared_memory<double>();
  const Division<S> division(p.m, p.n);
  std::int64_t tile = blockIdx.x, tile_row, tile_col;
  wait_for_launch_before();
  if (tile < division.below) return fringe_below<S>(p, a_pitch, b_pitch, tile);
  tile -= division.below;
  if (tile < division.right) return fringe_right<S>(p, a_pitch, b_pitch, tile);
  tile -= division.right;
  place_of_tile<8>(tile, division.down, division.across, tile_row, tile_col);
  const std::int64_t row0 = tile_row * S::rows, col0 = tile_col * S::cols;
  if constexpr (SHARED) {
    const auto before = [&](int part) {
      return parts.template columns_before<S::depth>(p.k, part);
    };
    const std::int64_t first = before(blockIdx.y);
    p.k = before(blockIdx.y + 1) - first;
    p.a += first, p.b += first * b_pitch;
  }
  Copies<WIDTH, S> copies(p, a_pitch, b_pitch, row0, col0);
  Operands<S> operands;
  double sum[S::down][S::across][2][4] = {};

  // All stages but one are under way before the first is multiplied. The last
  // one need not be full.
  const auto full = static_cast<int>(p.k / S::depth),
             rest = static_cast<int>(p.k % S::depth),
             steps = full + (rest > 0 ? 1 : 0);
  _Pragma("unroll")
  for (int step = 0; step < S::stages - 1; ++step) {
    if (step < steps) copies.start(shared + step * S::stage);
    __pipeline_commit();
  }

  __pipeline_wait_prior(S::stages - 2);
  __syncthreads();

  double* const end = shared + S::stages * S::stage;
  const double* from = shared;
  double* to = shared + (S::stages - 1) * S::stage;
  if (full > 0) {
    operands.read_a(0, from, 0, 0);
    operands.read_b(0, from, 0);
  }
  _Pragma("unroll 1")
  for (int step = 0; step < full; ++step) {
    if (step + S::stages - 1 < steps) copies.start(to);
    __pipeline_commit();
    to = to + S::stage == end ? shared : to + S::stage;
    _Pragma("unroll")
    for (int i = 0; i < S::products; ++i) {
      _Pragma("unroll")
      for (int r = 0; r < S::down; ++r) {
        const int now = (i * S::down + r) % 2;
        if (r < S::down - 1) {
          operands.read_a(1 - now, from, i, r + 1);
        } else {
          if (i == S::products - 1) {
            // The next stage has arrived for all threads, and all have read
            // this one, which is refilled next.
            __pipeline_wait_prior(S::stages - 2);
            __syncthreads();
            from = from + S::stage == end ? shared : from + S::stage;
          }
          if (i < S::products - 1 || step + 1 < full) {
            operands.read_a(1 - now, from, (i + 1) % S::products, 0);
            operands.read_b((i + 1) % 2, from, (i + 1) % S::products);
          }
        }
        operands.multiply_add(now, i % 2, sum[r]);
      }
    }
  }

  const int rest_of_slice = rest - operands.slice * S::slice_depth;
  _Pragma("unroll")
  for (int i = 0; i < S::products; ++i) {
    if (i * S::product >= rest_of_slice) break;
    operands.read_b(0, from, i);
    _Pragma("unroll")
    for (int r = 0; r < S::down; ++r) {
      operands.read_a(0, from, i, r);
      operands.multiply_add(0, 0, sum[r]);
    }
  }

  if constexpr (S::slices > 1) {
    add_slices<S, sizeof sum / sizeof(double)>(operands.slice, shared,
                                               &sum[0][0][0][0]);
    if (!SHARED && operands.slice > 0) return;
  }
  if constexpr (SHARED) {
    constexpr int count = sizeof sum / sizeof(double);
    double* const all = &sum[0][0][0][0];
    if (operands.slice == 0) parts.template leave<S::slice_threads, count>(all);
    if (!parts.all_ended() || operands.slice > 0) return;
    parts.template add<S::slice_threads, count>(all);
  }
  store<S>(p.c, p.m, p.n, row0 + operands.row, col0 + operands.col, sum);
}

template <int WIDTH, bool SHARED, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm)
    matmul_tensor(Matmul::Args<double> p, std::int64_t a_pitch,
                  std::int64_t b_pitch, PartsOfK<double> parts) {
  multiply_by_block<WIDTH, SHARED, S>(p, a_pitch, b_pitch, parts);
}

// The cost of sharing tiles: of each block of a multiprocessor, in columns of
// A, and once, in elements of C times columns.
constexpr double of_sharing_tiles = 200, of_any_sharing = 0.5e6;

// The time for each column of A, in units of an element of C, for the
// multiprocessor with the most tiles, or parts of tiles. If no other block fits
// beside one, tiles wait for those of fringes.
template <typename S>
double estimate(Gpu& gpu, const Matmul::Args<double>& p, int parts) {
  const Division<S> division(p.m, p.n);
  const auto of_one = static_cast<double>(
      ceil_div(division.tiles() * parts, gpu.multiprocessors()));
  const bool waits = S::blocks_per_sm == 1 && division.has_fringes();
  constexpr double tile = S::rows * S::cols * S::share;
  const double sharing =
      parts == 1 ? 0 : of_sharing_tiles * of_one * tile + of_any_sharing;
  return (of_one + S::waiting + (waits ? 0.1 : 0)) / parts * tile +
         (S::begin + sharing) / static_cast<double>(p.k);
}

// A choice of tiles. parts: the blocks that share a tile. copied: the previous
// launch copied A or B.
struct TensorPlan {
  double time = std::numeric_limits<double>::infinity();
  int parts = 1;
  void (*launch)(Gpu&, const Matmul::Args<double>&, std::int64_t a_pitch,
                 std::int64_t b_pitch, int parts, bool copied) = nullptr;
};

template <typename S>
void launch_tensor(Gpu& gpu, const Matmul::Args<double>& p,
                   std::int64_t a_pitch, std::int64_t b_pitch, int parts,
                   bool copied) {
  const bool aligned = a_pitch % 2 == 0 && b_pitch % 2 == 0;
  const Division<S> division(p.m, p.n);
  const auto launch = [&](auto kernel, const PartsOfK<double>& parts_of_k) {
    gpu.launch(
        {.grid = {division.below + division.right + division.tiles(), parts},
         .block = {S::threads},
         .shared_bytes = S::shared_bytes,
         .overlaps = copied},
        kernel, p, a_pitch, b_pitch, parts_of_k);
  };
  if (parts > 1) {
    launch(aligned ? matmul_tensor<2, true, S> : matmul_tensor<1, true, S>,
           {gpu, division.tiles(), parts, S::rows * S::cols});
  } else {
    launch(aligned ? matmul_tensor<2, false, S> : matmul_tensor<1, false, S>,
           {});
  }
}

// The plan with the least estimated time. Tiles are shared only if at least
// half the device would be idle: 64 x 4096 x 4096 took longer with three times
// as many blocks.
inline TensorPlan plan_tensor(Gpu& gpu, const Matmul::Args<double>& p) {
  TensorPlan plan;
  const auto enter = [&]<typename S>(S) {
    const Division<S> division(p.m, p.n);
    const bool few = 2 * division.tiles() <= gpu.multiprocessors();
    const int most =
        few && !division.has_fringes() ? most_parts(p.k, S::depth) : 1;
    for (int parts = 1; parts <= most; ++parts) {
      const double time = estimate<S>(gpu, p, parts);
      if (time < plan.time) plan = {time, parts, launch_tensor<S>};
    }
  };
  enter(Tiling<LargeTile>());
  enter(Tiling<WholeTile>());
  enter(Tiling<BroadTile>());
  enter(Tiling<MiddleTile>());
  enter(Tiling<SmallTile>());
  enter(Tiling<TallTile>());
  enter(Tiling<TinyTile>());
  return plan;
}

inline bool copies_operands(const Matmul::Args<double>& p) {
  return std::min(p.m, p.n) >= uses_that_pay;
}

inline void multiply(Gpu& gpu, const Matmul::Args<double>& p,
                     const TensorPlan& plan) {
  Matmul::Args<double> with_copies = p;
  std::int64_t a_pitch = p.k, b_pitch = p.n;
  if (copies_operands(p)) {
    const auto [a, b] = align_operands(gpu, p);
    constexpr auto size = static_cast<std::int64_t>(sizeof(double));
    with_copies.a = static_cast<const double*>(a.data);
    a_pitch = a.pitch / size;
    with_copies.b = static_cast<const double*>(b.data);
    b_pitch = b.pitch / size;
  }
  const bool copied = with_copies.a != p.a || with_copies.b != p.b;
  plan.launch(gpu, with_copies, a_pitch, b_pitch, plan.parts, copied);
}

}  // namespace
