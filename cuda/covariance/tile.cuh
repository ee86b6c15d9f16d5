// Shared by `register` and `balanced`: how a block multiplies its two
// pieces of the centred copy for a tile of the result, and how that tile is
// stored.
// - A thread computes 8 x 8 elements: for a step down the columns it fetches 16
//   elements from shared memory and makes 64 products of them. With fewer
//   elements per thread, those reads would set the time.
// - Both operands are pieces of rows of the centred copy, so that 16 bytes at a
//   time go straight from global to shared memory, past the registers, with
//   nothing to transpose.
// - Several pairs of pieces (stages) are under way while one is multiplied, and
//   a row's registers are read from shared memory during the previous row.
// - The copy has room for whole tiles, and zeros there: no read needs a test.
// - A thread's rows and columns lie in vectors beside those of its neighbours,
//   so that the tile and its mirror image are both stored in vectors.
//
// In double the reads from shared memory set the time even so. On an H200 a
// scheduler can begin a product every 2 cycles. 8 x 8 per thread, all
// operands in registers, take it 2.10 cycles each. With the eight 16-byte
// reads that 64 products need it is 2.57, for two warps per scheduler as
// for three, without any copy or barrier: this form can reach 78 % of the
// peak.
#pragma once

#include <cuda_pipeline.h>

#include "centred.cuh"
#include "gpu/store_whole.hpp"

using namespace parlab;

namespace {

template <typename T>
struct CovarianceTile {
  static constexpr int size = 64;           // rows and columns
  static constexpr int rows = 8, cols = 8;  // per thread
  static constexpr int deep = 8, stages = 4;
  static constexpr int threads = size * size / (rows * cols);

  // As many blocks as the registers allow: 255 per thread in double, 128 in
  // float.
  static constexpr int blocks_per_sm = sizeof(T) == 8 ? 4 : 8;
  static constexpr int vector = 16 / sizeof(T);
  static constexpr int lanes_down = 4, lanes_across = 8;
  static constexpr int warps_down = size / (lanes_down * rows);
  static constexpr int row_step = lanes_down * vector,
                       col_step = lanes_across * vector;
  // elements: a row of the left piece, one of the right
  static constexpr int pair = 2 * size;
  static constexpr int shared_bytes = stages * deep * pair * sizeof(T);
  // The fewest steps that one of several blocks takes of a shared tile: with
  // fewer it does little more than fill its stages.
  static constexpr int least_steps = 2 * stages;

  // The place of a row's element in a stage; the right piece begins at `size`.
  static constexpr int in_stage(int row, int col) { return row * pair + col; }

  // The tiles that touch the upper triangle of n columns, one row
  // of tiles after another.
  static constexpr std::int64_t count(std::int64_t n) {
    return Covariance::packed_count(ceil_div(n, size));
  }

  static constexpr Covariance::Place place(std::int64_t tile, std::int64_t n) {
    return Covariance::packed_place(tile, ceil_div(n, size));
  }

  // A thread's rows and columns of a tile: the first ones, and the distances of
  // the others from them. Lanes are 4 down and 8 across, in each half of the
  // warp 2 down and 8 across, numbered downwards first: pairs of neighbours
  // read the same vector, which shared memory then delivers once for both.
  __device__ static int first_row(int thread) {
    const int warp = thread / 32 % warps_down, lane = thread % 32;
    return warp * lanes_down * rows + (lane / 16 * 2 + lane % 2) * vector;
  }

  __device__ static int first_col(int thread) {
    const int warp = thread / 32 / warps_down, lane = thread % 32;
    return warp * lanes_across * cols + lane % 16 / 2 * vector;
  }

  __device__ static constexpr int further_row(int r) {
    return r / vector * row_step + r % vector;
  }
  __device__ static constexpr int further_col(int s) {
    return s / vector * col_step + s % vector;
  }
};

// A thread's copies of the pieces of a tile to the stages in shared memory,
// some rows at a time: a row of the left piece, and beside it one of the right.
template <typename T, typename S>
struct CovarianceCopies {
  using Vector = CovarianceVector<T>;

  // Rows of both pieces that the block copies at a time, a thread one vector of
  // each.
  static constexpr int at_once = S::threads * S::vector / S::size;

  // The pieces begin at these columns, of one matrix or of two of the same
  // stride.
  __device__ CovarianceCopies(const T* left_, const T* right_,
                              std::int64_t stride_, T* shared)
      : stride(stride_) {
    const int row = threadIdx.x * S::vector / S::size,
              col = threadIdx.x * S::vector % S::size;
    left = left_ + row * stride + col;
    right = right_ + row * stride + col;
    to = shared + S::in_stage(row, col);
  }

  __device__ CovarianceCopies(const T* rows, int i0, int j0,
                              std::int64_t stride_, T* shared)
      : CovarianceCopies(rows + i0, rows + j0, stride_, shared) {}
  __device__ void next_rows() {
    __pipeline_memcpy_async(to, left, sizeof(Vector));
    __pipeline_memcpy_async(to + S::size, right, sizeof(Vector));
    left += at_once * stride;
    right += at_once * stride;
    to += at_once * S::pair;
  }

  const T *left, *right;
  std::int64_t stride;
  T* to;
};

// Adds to `sum` the products of `steps` pieces of `deep` rows. The tile's rows
// are the columns from left_from on, its columns are those from right_from on.
// shared: the stages. When it returns, other threads may still be reading
// them.
template <typename T, typename S = CovarianceTile<T>>
__device__ void multiply_tile(CovarianceTile<T>, const T* left_from,
                              const T* right_from, std::int64_t stride,
                              int steps, T* shared,
                              T (&sum)[S::rows][S::cols]) {
  using Vector = CovarianceVector<T>;
  constexpr int down = S::rows / S::vector, across = S::cols / S::vector;
  constexpr int stage = S::deep * S::pair;
  T* const end = shared + S::stages * stage;
  CovarianceCopies<T, S> copies(left_from, right_from, stride, shared);
  constexpr int at_once = copies.at_once;

  // In double the copies of a stage are spread over its rows. In float, which
  // has fewer registers to spare, copying all at once is faster.
  constexpr int together = sizeof(T) == 8 ? at_once : S::deep;

  Vector left[2][down], right[2][across];  // for a row, and for the next one
  const int row = S::first_row(threadIdx.x),
            col = S::size + S::first_col(threadIdx.x);
  const auto read = [&](int set, const T* from) {
    _Pragma("unroll")
    for (int v = 0; v < down; ++v)
      left[set][v] =
          *reinterpret_cast<const Vector*>(from + row + v * S::row_step);
    _Pragma("unroll")
    for (int v = 0; v < across; ++v)
      right[set][v] =
          *reinterpret_cast<const Vector*>(from + col + v * S::col_step);
  };

  _Pragma("unroll")
  for (int step = 0; step < S::stages - 1; ++step) {
    _Pragma("unroll")
    for (int k = 0; k < S::deep; k += at_once) {
      if (step < steps) copies.next_rows();
    }
    __pipeline_commit();
  }

  __pipeline_wait_prior(S::stages - 2);
  __syncthreads();
  const T* from = shared;
  read(0, from);
  _Pragma("unroll 1")
  for (int step = 0; step < steps; ++step) {
    const bool more = step + S::stages - 1 < steps;
    _Pragma("unroll")
    for (int k = 0; k < S::deep; ++k) {
      if (k == S::deep - 1) {
        // The next stage has arrived for all threads, and all have read this
        // one, which is filled next.
        __pipeline_commit();
        __pipeline_wait_prior(S::stages - 2);
        __syncthreads();
        from = from + stage == end ? shared : from + stage;
      }
      if (k < S::deep - 1 || step + 1 < steps) {
        read((k + 1) % 2, from + (k + 1) % S::deep * S::pair);
      }
      if (k % together == 0 && more) {
        _Pragma("unroll")
        for (int copied = 0; copied < together; copied += at_once)
          copies.next_rows();
      }
      _Pragma("unroll")
      for (int r = 0; r < S::rows; ++r) {
        _Pragma("unroll")
        for (int s = 0; s < S::cols; ++s) {
          sum[r][s] += left[k % 2][r / S::vector].element[r % S::vector] *
                       right[k % 2][s / S::vector].element[s % S::vector];
        }
      }
    }
    if (copies.to >= end) copies.to -= S::stages * stage;
  }
}

// Both pieces from one matrix, whose first row is `rows`: the columns from i0
// on and from j0 on.
template <typename T, typename S = CovarianceTile<T>>
__device__ void multiply_tile(CovarianceTile<T> tile, const T* rows, int i0,
                              int j0, std::int64_t stride, int steps, T* shared,
                              T (&sum)[S::rows][S::cols]) {
  multiply_tile(tile, rows + i0, rows + j0, stride, steps, shared, sum);
}

// Stores a square of vector x vector elements from (i,j) on, and its mirror
// image. Its corner is on the diagonal, or the square does not touch that.
template <typename T, int VECTOR, typename Value>
__device__ void store_square(T* cov, std::int64_t i, std::int64_t j,
                             std::int64_t n, Value value) {
  if (i > j || j >= n) return;

  CovarianceVector<T> across[VECTOR], down[VECTOR];
  _Pragma("unroll")
  for (int r = 0; r < VECTOR; ++r) {
    _Pragma("unroll")
    for (int s = 0; s < VECTOR; ++s)
      across[r].element[s] = down[s].element[r] = value(r, s);
  }

  if (i < j && n % VECTOR == 0) {
    _Pragma("unroll")
    for (int v = 0; v < VECTOR; ++v) {
      store_whole(cov + (i + v) * n + j, across[v]);
      store_whole(cov + (j + v) * n + i, down[v]);
    }
    return;
  }

  _Pragma("unroll")
  for (int r = 0; r < VECTOR; ++r) {
    _Pragma("unroll")
    for (int s = 0; s < VECTOR; ++s) {
      // On the diagonal the square is its own mirror image.
      if (i + r > j + s || j + s >= n) continue;
      cov[(i + r) * n + j + s] = across[r].element[s];
      cov[(j + s) * n + i + r] = across[r].element[s];
    }
  }
}

}  // namespace
