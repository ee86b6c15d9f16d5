// What `register` and `balanced` have in common: how a block multiplies its two pieces of the
// centred copy for a tile of the result, and how that tile is stored.
// - A thread computes 8 x 8 elements: for a step down the columns it fetches 16 elements from
//   shared memory and makes 64 products of them. With fewer elements a thread, those reads would
//   decide.
// - A tile is 64 x 64, or, if asked for, 128 rows x 64 columns, which asks the L2 cache for three
//   quarters as much. On an H200 that makes no difference.
// - Both operands are pieces of rows of the centred copy, so that 16 bytes at a time go straight
//   from global to shared memory, past the registers, with nothing to transpose.
// - Several pairs of pieces (stages) are under way while one is multiplied; and the registers of a
//   step are read from shared memory while the step before is multiplied.
// - The copy has room for whole tiles, and zeros there: no read needs a test.
// - A thread's rows and columns lie in vectors beside those of its neighbours, so that the tile and
//   its mirror image are both stored in vectors.
#pragma once

#include <cuda_pipeline.h>

#include "centred.cuh"

template <typename T, int TILE_ROWS>
struct CovarianceTiling {
  using Element = T;
  static constexpr int tile_rows = TILE_ROWS, tile_cols = 64;
  static constexpr int rows = 8, cols = 8;  // of a thread
  static constexpr int deep = 8, stages = 4;
  // As many blocks as the registers allow: 255 a thread in double, 128 in float.
  static constexpr int blocks_per_sm = (sizeof(T) == 8 ? 256 : 512) / TILE_ROWS;
  static constexpr int threads = tile_rows * tile_cols / (rows * cols);
  static constexpr int vector = 16 / sizeof(T);
  static constexpr int lanes_down = 4, lanes_across = 8;
  static constexpr int warps_down = tile_rows / (lanes_down * rows);
  static constexpr int row_step = lanes_down * vector, col_step = lanes_across * vector;
  static constexpr int stage = deep * (tile_rows + tile_cols);  // elements: both pieces
  static constexpr int shared_bytes = stages * stage * sizeof(T);

  // The tiles that touch the upper triangle of n columns, one row of tiles after another: row I of
  // them begins with column I * ratio of them. What they have below the diagonal is not stored.
  static constexpr int ratio = tile_rows / tile_cols;
  static_assert(tile_rows % tile_cols == 0);
  static constexpr std::int64_t tiles_before(std::int64_t tile_row, std::int64_t n) {
    return tile_row * parlab::ceil_div(n, tile_cols) - ratio * (tile_row * (tile_row - 1) / 2);
  }
  static constexpr std::int64_t tiles(std::int64_t n) {
    return tiles_before(parlab::ceil_div(n, tile_rows), n);
  }
  // Which row and column of tiles.
  static constexpr parlab::Covariance::Place place(std::int64_t tile, std::int64_t n) {
    std::int64_t row = 0, end = parlab::ceil_div(n, tile_rows);  // the row is in [row, end)
    while (end - row > 1) {
      const std::int64_t middle = (row + end) / 2;
      (tiles_before(middle, n) <= tile ? row : end) = middle;
    }
    return {row, tile - tiles_before(row, n) + row * ratio};
  }

  // A thread's rows and columns of a tile: its first ones, and the distance of the others to them.
  // Lanes are 4 down and 8 across, in each half of the warp 2 down and 8 across, down first:
  // neighbours in pairs read the same vector, which shared memory then delivers once for both.
  __device__ static int first_row(int thread) {
    const int warp = thread / 32 % warps_down, lane = thread % 32;
    return warp * lanes_down * rows + (lane / 16 * 2 + lane % 2) * vector;
  }
  __device__ static int first_col(int thread) {
    const int warp = thread / 32 / warps_down, lane = thread % 32;
    return warp * lanes_across * cols + lane % 16 / 2 * vector;
  }
  __device__ static constexpr int further_row(int r) { return r / vector * row_step + r % vector; }
  __device__ static constexpr int further_col(int s) { return s / vector * col_step + s % vector; }
};

// Adds to `sum` the products of `steps` pieces of `deep` rows from `rows` on, for the tile whose
// rows are the columns from i0 on and whose columns those from j0 on. When it returns, a thread may
// still be reading the stages.
template <typename S, typename T = typename S::Element>
__device__ void multiply_tile(const T* rows, int i0, int j0, std::int64_t stride, int steps,
                              T* shared, T (&sum)[S::rows][S::cols]) {
  using Vector = CovarianceVector<T>;
  const int thread = threadIdx.x;

  // Copies: thread t takes vector t of each piece, and more in steps of so many rows.
  constexpr int left_step = S::threads * S::vector / S::tile_rows;
  constexpr int right_step = S::threads * S::vector / S::tile_cols;
  static_assert(S::deep % right_step == 0 && right_step % left_step == 0);
  const int left_k = thread * S::vector / S::tile_rows;
  const int left_col = thread * S::vector % S::tile_rows;
  const int right_k = thread * S::vector / S::tile_cols;
  const int right_col = thread * S::vector % S::tile_cols;
  const T* next = rows + left_k * stride + i0 + left_col;
  const int to_right =
      (right_k - left_k) * static_cast<int>(stride) + j0 - i0 + right_col - left_col;
  const auto copy = [&](T* stage) {
#pragma unroll
    for (int k = 0; k < S::deep; k += left_step) {
      T* const to = stage + thread * S::vector;
      __pipeline_memcpy_async(to + k * S::tile_rows, next, sizeof(Vector));
      if (k % right_step == 0) {
        __pipeline_memcpy_async(to + S::deep * S::tile_rows + k * S::tile_cols, next + to_right,
                                sizeof(Vector));
      }
      next += left_step * stride;
    }
  };

  const int row = S::first_row(thread), col = S::first_col(thread);
  constexpr int down = S::rows / S::vector, across = S::cols / S::vector;
  const auto left_of = [&](const T* stage, int k, int v) {
    return *reinterpret_cast<const Vector*>(stage + row + k * S::tile_rows + v * S::row_step);
  };
  const auto right_of = [&](const T* stage, int k, int v) {
    return *reinterpret_cast<const Vector*>(stage + S::deep * S::tile_rows + col +
                                            k * S::tile_cols + v * S::col_step);
  };

#pragma unroll
  for (int step = 0; step < S::stages - 1; ++step) {
    if (step < steps) copy(shared + step * S::stage);
    __pipeline_commit();
  }
  const T* from = shared;
  T* to = shared + (S::stages - 1) * S::stage;
  T* const end = shared + S::stages * S::stage;
  const auto copy_further = [&](int step) {
    if (step + S::stages - 1 < steps) copy(to);
    __pipeline_commit();
    to = to + S::stage == end ? shared : to + S::stage;
  };
  Vector left[2][down], right[2][across];
  const auto read = [&](int set, const T* stage, int k) {
#pragma unroll
    for (int v = 0; v < down; ++v) left[set][v] = left_of(stage, k, v);
#pragma unroll
    for (int v = 0; v < across; ++v) right[set][v] = right_of(stage, k, v);
  };
  __pipeline_wait_prior(S::stages - 2);
  __syncthreads();
  read(0, from, 0);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < S::deep; ++k) {
      if (k == S::deep - 1) {
        // The next stage has arrived, for all threads; and none reads this one any more, which
        // is the one that is filled next.
        __pipeline_wait_prior(S::stages - 2);
        __syncthreads();
        from = from + S::stage == end ? shared : from + S::stage;
      }
      if (k < S::deep - 1 || step + 1 < steps) read((k + 1) % 2, from, (k + 1) % S::deep);
      if (k == 0) copy_further(step);
#pragma unroll
      for (int r = 0; r < S::rows; ++r) {
#pragma unroll
        for (int s = 0; s < S::cols; ++s) {
          sum[r][s] += left[k % 2][r / S::vector].element[r % S::vector] *
                       right[k % 2][s / S::vector].element[s % S::vector];
        }
      }
    }
  }
}

// Stores a square of vector x vector elements, (i,j) the first, and its mirror image. The corner is
// on the diagonal, or the square does not touch it.
template <typename T, int VECTOR, typename Value>
__device__ void store_square(T* cov, std::int64_t i, std::int64_t j, std::int64_t n, Value value) {
  if (i > j || j >= n) return;
  CovarianceVector<T> across[VECTOR], down[VECTOR];
#pragma unroll
  for (int r = 0; r < VECTOR; ++r) {
#pragma unroll
    for (int s = 0; s < VECTOR; ++s) across[r].element[s] = down[s].element[r] = value(r, s);
  }
  if (i < j && n % VECTOR == 0) {
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
      *reinterpret_cast<CovarianceVector<T>*>(cov + (i + v) * n + j) = across[v];
      *reinterpret_cast<CovarianceVector<T>*>(cov + (j + v) * n + i) = down[v];
    }
    return;
  }
#pragma unroll
  for (int r = 0; r < VECTOR; ++r) {
#pragma unroll
    for (int s = 0; s < VECTOR; ++s) {
      // On the diagonal the square is its own mirror image.
      if (i + r > j + s || j + s >= n) continue;
      cov[(i + r) * n + j + s] = across[r].element[s];
      cov[(j + s) * n + i + r] = across[r].element[s];
    }
  }
}

// Calls what.operator()<tiling>() for the tile of the command line, 64 or 128.
template <typename T, typename What>
void with_tiling(std::int64_t tile, What what) {
  tile == 64 ? what.template operator()<CovarianceTiling<T, 64>>()
             : what.template operator()<CovarianceTiling<T, 128>>();
}
