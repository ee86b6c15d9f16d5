// The last rung: the units of a GPU that multiply are kept busy by a tile for each level of it. A
// block computes a tile of C, each of its warps a smaller one, each lane of a warp up to 16 x 8
// elements: per step along k a lane reads 16 + 8 elements from shared memory and makes 128 products
// of them, so that few instructions are anything but products.
//
// - The lanes of a warp form a grid over its tile in which a half warp reads few and consecutive
//   words, and reads them in one go.
// - What the next step along k needs is read into a second set of registers while this step is
//   multiplied, also across the border of two stages of shared memory.
// - The first step along k takes what is left over when k is divided by the depth of a stage; the
//   copies of all later ones need no test.
// - A tile that would stick out of C is moved inwards until it does not; of what it then computes a
//   second time nothing is stored. So no copy along m and n needs a test either.
// - Blocks that run at the same time form a compact part of C, and find each other's A and B in L2.
// - Small problems: with `slices` > 1 several groups of warps share a tile, each taking its part of
//   every stage; at the end their sums are added in a fixed order.
//
// Shapes that do not fit this (C smaller than a tile, rows of B not aligned to 16 bytes) are
// computed with ANY set: the same, with tests and narrow copies.
#include <cuda_pipeline.h>

#include "gpu/gpu.hpp"
#include "place.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// rows x cols: of C, a block, a warp, a lane. depth: columns of A in one stage of shared memory.
template <typename T, int BLOCK_ROWS, int BLOCK_COLS, int DEPTH, int WARP_ROWS, int WARP_COLS,
          int LANE_ROWS, int LANE_COLS, int STAGES, int SLICES, int BLOCKS_PER_SM>
struct WarpTiling {
  static constexpr int block_rows = BLOCK_ROWS, block_cols = BLOCK_COLS, depth = DEPTH;
  static constexpr int warp_rows = WARP_ROWS, warp_cols = WARP_COLS;
  static constexpr int lane_rows = LANE_ROWS, lane_cols = LANE_COLS;
  static constexpr int stages = STAGES, slices = SLICES, blocks_per_sm = BLOCKS_PER_SM;
  static constexpr int vector = 16 / sizeof(T);  // elements in 16 bytes

  static constexpr int warps_down = block_rows / warp_rows;
  static constexpr int warps = warps_down * (block_cols / warp_cols);  // in a slice
  static constexpr int slice_threads = 32 * warps, threads = slice_threads * slices;
  static constexpr int lanes_down = warp_rows / lane_rows, lanes_across = warp_cols / lane_cols;
  static constexpr int slice_depth = depth / slices;
  static_assert(lanes_down * lanes_across == 32 && slice_depth % 2 == 0);

  // Of a stage, in elements: the transposed tile of A, its rows padded, then the tile of B.
  static constexpr int a_stride = block_rows + vector, b_stride = block_cols;
  static constexpr int b_begin = depth * a_stride, stage = b_begin + depth * b_stride;
  static constexpr int sums = (slices - 1) * block_rows * block_cols;
  static constexpr int shared_bytes = (stages * stage > sums ? stages * stage : sums) * sizeof(T);
};

template <typename T>
struct alignas(16) WarpTilesVector {
  T element[16 / sizeof(T)];
};

template <bool ANY, typename T, typename Tiling>
__global__ void __launch_bounds__(Tiling::threads, Tiling::blocks_per_sm)
    matmul_warp_tiles(const T* a, const T* b, T* c, std::int64_t m, std::int64_t k,
                      std::int64_t n) {
  using S = Tiling;
  using Vector = WarpTilesVector<T>;
  constexpr int vector = S::vector;
  T* const shared = shared_memory<T>();
  const int thread = threadIdx.x, lane = thread % 32;
  const int slice = thread / S::slice_threads, warp = thread / 32 % S::warps;

  std::int64_t tile_row, tile_col;
  place_of_block((m + S::block_rows - 1) / S::block_rows, (n + S::block_cols - 1) / S::block_cols,
                 tile_row, tile_col);
  const std::int64_t first_row = tile_row * S::block_rows, first_col = tile_col * S::block_cols;
  const std::int64_t row0 = ANY ? first_row : min(first_row, m - S::block_rows);
  const std::int64_t col0 = ANY ? first_col : min(first_col, n - S::block_cols);

  // ---- copies into shared memory: this thread's first element of each tile, then more in steps.
  // A warp copies 8 columns of 4 rows of A at a time, to 32 different banks.
  constexpr int a_rows = S::threads / 8, b_width = ANY ? 1 : vector;
  constexpr int b_rows = S::threads * b_width / S::block_cols;
  static_assert(S::block_rows % a_rows == 0 && S::depth % b_rows == 0 && S::depth % 8 == 0);
  const int a_i = thread % 8, a_row = thread / 8;
  const int b_i = thread * b_width / S::block_cols, b_col = thread * b_width % S::block_cols;
  const T* a_from = a + (row0 + a_row) * k + a_i;
  const T* b_from = b + b_i * n + col0 + b_col;
  // Starts the copies of one stage. count: columns of A, rows of B it gets, the others being zero.
  // Beyond the edge of C anything will do: it is multiplied into elements that are not stored.
  const auto copy = [&](T* stage, int count, auto test) {
    _Pragma("unroll")
    for (int r = 0; r < S::block_rows; r += a_rows) {
      _Pragma("unroll")
      for (int i = 0; i < S::depth; i += 8) {
        const bool there = !test || (a_i + i < count && (!ANY || row0 + a_row + r < m));
        __pipeline_memcpy_async(stage + (a_i + i) * S::a_stride + a_row + r,
                                there ? a_from + r * k + i : a, sizeof(T), there ? 0 : sizeof(T));
      }
    }
    _Pragma("unroll")
    for (int i = 0; i < S::depth; i += b_rows) {
      const bool there = !test || (b_i + i < count && (!ANY || col0 + b_col < n));
      __pipeline_memcpy_async(stage + S::b_begin + (b_i + i) * S::b_stride + b_col,
                              there ? b_from + i * n : b, b_width * sizeof(T),
                              there ? 0 : b_width * sizeof(T));
    }
    a_from += count;
    b_from += count * n;
  };

  // ---- reads from shared memory: a lane's rows and columns come in vectors, those of the lanes
  // next to each other; within a half warp, lanes are numbered down first, two or four deep.
  constexpr int half_down = S::lanes_down / 2;
  const int lane_row = (lane / 16 * half_down + lane % half_down) * vector;
  const int lane_col = lane % 16 / half_down * vector;
  const int warp_row = warp % S::warps_down * S::warp_rows;
  const int warp_col = warp / S::warps_down * S::warp_cols;
  constexpr int row_step = S::lanes_down * vector, col_step = S::lanes_across * vector;
  const int a_at = slice * S::slice_depth * S::a_stride + warp_row + lane_row;
  const int b_at = S::b_begin + slice * S::slice_depth * S::b_stride + warp_col + lane_col;
  Vector a_part[2][S::lane_rows / vector], b_part[2][S::lane_cols / vector];
  const auto read = [&](int set, const T* stage, int i) {
    _Pragma("unroll")
    for (int v = 0; v < S::lane_rows / vector; ++v) {
      a_part[set][v] =
          *reinterpret_cast<const Vector*>(stage + a_at + i * S::a_stride + v * row_step);
    }
    _Pragma("unroll")
    for (int v = 0; v < S::lane_cols / vector; ++v) {
      b_part[set][v] =
          *reinterpret_cast<const Vector*>(stage + b_at + i * S::b_stride + v * col_step);
    }
  };

  T sum[S::lane_rows][S::lane_cols] = {};
  const auto multiply = [&](int set) {
    _Pragma("unroll")
    for (int r = 0; r < S::lane_rows; ++r) {
      _Pragma("unroll")
      for (int s = 0; s < S::lane_cols; ++s) {
        // There and back again: neighbours share a register that was just read.
        const int col = r % 2 == 0 ? s : S::lane_cols - 1 - s;
        sum[r][col] += a_part[set][r / vector].element[r % vector] *
                       b_part[set][col / vector].element[col % vector];
      }
    }
  };

  // ---- the walk along k
  const auto steps = static_cast<int>((k + S::depth - 1) / S::depth);
  constexpr auto tested = std::true_type{};
  constexpr auto inner = std::bool_constant<ANY>{};
  copy(shared, static_cast<int>(k - std::int64_t{steps - 1} * S::depth), tested);
  __pipeline_commit();
  _Pragma("unroll")
  for (int step = 1; step < S::stages - 1; ++step) {
    if (step < steps) copy(shared + step * S::stage, S::depth, inner);
    __pipeline_commit();
  }
  __pipeline_wait_prior(S::stages - 2);
  __syncthreads();
  T* const end = shared + S::stages * S::stage;
  const T* from = shared;
  T* to = shared + (S::stages - 1) * S::stage;
  read(0, from, 0);
  _Pragma("unroll 1")
  for (int step = 0; step < steps; ++step) {
    _Pragma("unroll")
    for (int i = 0; i < S::slice_depth; ++i) {
      if (i == S::slice_depth - 1) {
        // The next stage has arrived, for everybody; and nobody reads this one any more, which is
        // the one that is refilled next.
        __pipeline_wait_prior(S::stages - 2);
        __syncthreads();
        from = from + S::stage == end ? shared : from + S::stage;
      }
      if (i < S::slice_depth - 1 || step + 1 < steps)
        read((i + 1) % 2, from, (i + 1) % S::slice_depth);
      if (i == 0) {
        if (step + S::stages - 1 < steps) copy(to, S::depth, inner);
        __pipeline_commit();
        to = to + S::stage == end ? shared : to + S::stage;
      }
      multiply(i % 2);
    }
  }

  // ---- slices: each but the first hands its sums over, and the first adds them, in order.
  if constexpr (S::slices > 1) {
    constexpr int count = S::lane_rows * S::lane_cols / vector;
    const auto place = [&](int of, int v) {
      return reinterpret_cast<Vector*>(shared) + ((of - 1) * count + v) * S::slice_threads +
             thread % S::slice_threads;
    };
    __syncthreads();  // nobody reads a stage any more
    _Pragma("unroll")
    for (int v = 0; v < count; ++v) {
      const int row = v * vector / S::lane_cols, col = v * vector % S::lane_cols;
      Vector part;
      _Pragma("unroll")
      for (int i = 0; i < vector; ++i) part.element[i] = sum[row][col + i];
      if (slice > 0) *place(slice, v) = part;
    }
    __syncthreads();
    if (slice > 0) return;
    _Pragma("unroll")
    for (int of = 1; of < S::slices; ++of) {
      _Pragma("unroll")
      for (int v = 0; v < count; ++v) {
        const Vector part = *place(of, v);
        _Pragma("unroll")
        for (int i = 0; i < vector; ++i) {
          sum[v * vector / S::lane_cols][v * vector % S::lane_cols + i] += part.element[i];
        }
      }
    }
  }

  // ---- C
  _Pragma("unroll")
  for (int r = 0; r < S::lane_rows; ++r) {
    const std::int64_t row = row0 + warp_row + r / vector * row_step + lane_row + r % vector;
    if (ANY ? row >= m : row < first_row) continue;
    _Pragma("unroll")
    for (int s = 0; s < S::lane_cols; s += vector) {
      const std::int64_t col = col0 + warp_col + s / vector * col_step + lane_col;
      if constexpr (ANY) {
        _Pragma("unroll")
        for (int i = 0; i < vector; ++i) {
          if (col + i < n) c[row * n + col + i] = sum[r][s + i];
        }
      } else if (col >= first_col) {
        Vector part;
        _Pragma("unroll")
        for (int i = 0; i < vector; ++i) part.element[i] = sum[r][s + i];
        *reinterpret_cast<Vector*>(c + row * n + col) = part;
      }
    }
  }
}

template <bool ANY, typename Tiling, typename T>
void launch_warp_tiles(Gpu& gpu, const Matmul::Args<T>& p) {
  const auto blocks = ceil_div(p.m, Tiling::block_rows) * ceil_div(p.n, Tiling::block_cols);
  gpu.launch({.grid = {blocks}, .block = {Tiling::threads}, .shared_bytes = Tiling::shared_bytes},
             matmul_warp_tiles<ANY, T, Tiling>, p.a, p.b, p.c, p.m, p.k, p.n);
}

// Whether whole tiles of this shape lie in C.
template <typename Tiling, typename T>
bool fits(const Matmul::Args<T>& p) {
  return p.m >= Tiling::block_rows && p.n >= Tiling::block_cols && p.n % Tiling::vector == 0;
}

// Whether they fill the device once, but for a tenth.
template <typename Tiling, typename T>
bool fills(Gpu& gpu, const Matmul::Args<T>& p) {
  const auto blocks = ceil_div(p.m, Tiling::block_rows) * ceil_div(p.n, Tiling::block_cols);
  return blocks * 10 >= std::int64_t{gpu.multiprocessors()} * Tiling::blocks_per_sm * 9;
}

}  // namespace

// The shapes are the best of two dozen tried on an H200 in float, 1000 to 8192.
const Register<Matmul, float, double, int> variant(
    {
        .rung = 7,
        .idea = "tiles for blocks, warps and lanes; registers filled a step ahead; no test inside",
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      constexpr bool single = sizeof(T) == 4;
      using Large = std::conditional_t<single, WarpTiling<T, 128, 128, 16, 64, 32, 8, 8, 3, 1, 2>,
                                       WarpTiling<T, 128, 64, 8, 32, 32, 8, 4, 4, 1, 1>>;
      using Small = std::conditional_t<single, WarpTiling<T, 64, 64, 16, 32, 64, 8, 8, 3, 2, 4>,
                                       WarpTiling<T, 128, 64, 16, 32, 32, 8, 4, 4, 1, 1>>;
      if (fits<Large>(p) && fills<Large>(gpu, p)) {
        launch_warp_tiles<false, Large>(gpu, p);
      } else if (fits<Small>(p)) {
        launch_warp_tiles<false, Small>(gpu, p);
      } else {
        launch_warp_tiles<true, Small>(gpu, p);
      }
    });
