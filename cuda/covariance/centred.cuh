// The means and the centred copy, which the variants on the GPU compute before
// the product.
#pragma once

#include <algorithm>

#include "gpu/gpu.hpp"
#include "gpu/overlap.hpp"
#include "gpu/store_whole.hpp"
#include "workloads/covariance.hpp"

using namespace parlab;

namespace {

// 16 bytes, or a single element if rows do not begin at multiples of 16
// bytes.
template <typename T, int COUNT = 16 / sizeof(T)>
struct alignas(COUNT * sizeof(T)) CovarianceVector {
  T element[COUNT];
};

// Blocks of 32 vectors x 8 rows: a warp reads neighbours. A block adds up every
// gridDim.y-th group of 8 rows; sums: gridDim.y x n.
template <typename T, int VECTOR>
__global__ void __launch_bounds__(256, 6)
    covariance_column_sums(const T* data, T* sums, std::int64_t m,
                           std::int64_t n) {
  using Vector = CovarianceVector<T, VECTOR>;
  __shared__ Vector parts[8][32];
  let_next_launch_begin();
  const std::int64_t col =
      (std::int64_t{blockIdx.x} * 32 + threadIdx.x) * VECTOR;
  Vector sum = {};
  if (col < n) {
    _Pragma("unroll 4")  // so that several reads are under way
    for (std::int64_t row = std::int64_t{blockIdx.y} * 8 + threadIdx.y; row < m;
         row += std::int64_t{gridDim.y} * 8) {
      const Vector from =
          *reinterpret_cast<const Vector*>(data + row * n + col);
      _Pragma("unroll")
      for (int v = 0; v < VECTOR; ++v)
        sum.element[v] += from.element[v];
    }
  }

  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0 || col >= n) return;

  for (int i = 1; i < 8; ++i) {
    _Pragma("unroll")
    for (int v = 0; v < VECTOR; ++v)
      sum.element[v] += parts[i][threadIdx.x].element[v];
  }

  store_whole(sums + blockIdx.y * n + col, sum);
}

// centred: rows x stride. Elements beyond the m x n of data become 0. Every
// block adds up its columns' sums itself from the parts, always in the same
// order. It goes from the last row to the first: the sums were read in the
// other direction, and the rows read last are still in the L2 cache.
template <typename T, int VECTOR>
__global__ void __launch_bounds__(256, 6)
    covariance_centre(const T* data, const T* sums, T* centred,
                      std::int64_t parts, std::int64_t m, std::int64_t n,
                      std::int64_t rows, std::int64_t stride, T mean_divisor) {
  using Vector = CovarianceVector<T, VECTOR>;
  __shared__ Vector of_warps[8][32];
  let_next_launch_begin();
  wait_for_launch_before();

  const std::int64_t col =
      (std::int64_t{blockIdx.x} * 32 + threadIdx.x) * VECTOR;
  Vector mean = {};
  if (col < n) {
    _Pragma("unroll 4")
    for (std::int64_t part = threadIdx.y; part < parts; part += 8) {
      const Vector from =
          *reinterpret_cast<const Vector*>(sums + part * n + col);
      _Pragma("unroll")
      for (int v = 0; v < VECTOR; ++v)
        mean.element[v] += from.element[v];
    }
  }

  of_warps[threadIdx.y][threadIdx.x] = mean;
  __syncthreads();
  if (col >= stride) return;

  mean = {};
  _Pragma("unroll")
  for (int i = 0; i < 8; ++i) {
    _Pragma("unroll")
    for (int v = 0; v < VECTOR; ++v)
      mean.element[v] += of_warps[i][threadIdx.x].element[v];
  }

  _Pragma("unroll")
  for (int v = 0; v < VECTOR; ++v)
    mean.element[v] /= mean_divisor;
  _Pragma("unroll 4")
  for (std::int64_t back = std::int64_t{blockIdx.y} * 8 + threadIdx.y;
       back < rows; back += std::int64_t{gridDim.y} * 8) {
    const std::int64_t row = rows - 1 - back;
    Vector to = {};
    if (row < m && col < n) {
      to = *reinterpret_cast<const Vector*>(data + row * n + col);
      _Pragma("unroll")
      for (int v = 0; v < VECTOR; ++v)
        to.element[v] -= mean.element[v];
    }
    store_whole(centred + row * stride + col, to);
  }
}

template <int VECTOR, typename T>
void centre(Gpu& gpu, const Covariance::Args<T>& p, T* sums, T* centred,
            std::int64_t most_parts, std::int64_t rows, std::int64_t stride) {
  // As many blocks as run at once, but each thread has at least a few
  // rows.
  const std::int64_t blocks = std::int64_t{gpu.multiprocessors()} * 6;
  const auto down = [&](std::int64_t across, std::int64_t most) {
    return std::clamp<std::int64_t>(blocks / across, 1, most);
  };
  const auto across = ceil_div(p.n, 32 * VECTOR),
             parts = down(across, most_parts);
  gpu.launch({.grid = {across, parts}, .block = {32, 8}},
             covariance_column_sums<T, VECTOR>, p.data, sums, p.m, p.n);
  const auto across_all = ceil_div(stride, 32 * VECTOR);
  gpu.launch({.grid = {across_all, down(across_all, ceil_div(rows, 32))},
              .block = {32, 8},
              .overlaps = true},
             covariance_centre<T, VECTOR>, p.data, sums, centred, parts, p.m,
             p.n, rows, stride, p.mean_divisor);
}

// Both steps at once, if a block can hold its columns in registers: eight
// columns, each with ROWS threads. A multiprocessor holds 1024 threads: if
// these are several blocks, one reads while another writes.
constexpr int centred_columns = 8, centred_rows_of_thread = 16;

template <typename T, int ROWS>
__global__ void __launch_bounds__(centred_columns* ROWS,
                                  1024 / (centred_columns * ROWS))
    covariance_centre_at_once(const T* data, T* centred, std::int64_t m,
                              std::int64_t n, std::int64_t rows,
                              std::int64_t stride, T mean_divisor) {
  constexpr int rows_of_warp = 32 / centred_columns;
  __shared__ T parts[ROWS / rows_of_warp][centred_columns];
  let_next_launch_begin();
  const std::int64_t col =
      std::int64_t{blockIdx.x} * centred_columns + threadIdx.x;
  const auto left = static_cast<int>(m) - static_cast<int>(threadIdx.y);
  const T* from = data + threadIdx.y * n + col;
  T own[centred_rows_of_thread];
  T sum = 0;
  _Pragma("unroll")
  for (int i = 0; i < centred_rows_of_thread; ++i) {
    own[i] = i * ROWS < left && col < n ? *from : T{0};
    sum += own[i];
    from += ROWS * n;
  }

  _Pragma("unroll")
  for (int lanes = centred_columns; lanes < 32; lanes *= 2)
    sum += __shfl_xor_sync(~0u, sum, lanes);
  if (threadIdx.y % rows_of_warp == 0)
    parts[threadIdx.y / rows_of_warp][threadIdx.x] = sum;
  __syncthreads();

  T mean = 0;
  _Pragma("unroll")
  for (int i = 0; i < ROWS / rows_of_warp; ++i)
    mean += parts[i][threadIdx.x];
  mean /= mean_divisor;
  if (col >= stride) return;
  T* to = centred + threadIdx.y * stride + col;
  _Pragma("unroll")
  for (int i = 0; i < centred_rows_of_thread; ++i) {
    if (i * ROWS + threadIdx.y < rows)
      *to = i * ROWS < left && col < n ? own[i] - mean : T{0};
    to += ROWS * stride;
  }
}

// The data less its means, in scratch memory: rows x stride, rows >= m, with
// zeros beyond the data.
template <typename T>
T* centred_copy(Gpu& gpu, const Covariance::Args<T>& p, std::int64_t rows,
                std::int64_t stride) {
  T* const centred = gpu.scratch<T>(rows * stride);
  const auto at_once = [&](auto kernel, std::int64_t threads_down) {
    gpu.launch({.grid = {ceil_div(stride, centred_columns)},
                .block = {centred_columns, threads_down}},
               kernel, p.data, centred, p.m, p.n, rows, stride, p.mean_divisor);
    return centred;
  };
  if (rows <= 32 * centred_rows_of_thread)
    return at_once(covariance_centre_at_once<T, 32>, 32);
  if (rows <= 64 * centred_rows_of_thread)
    return at_once(covariance_centre_at_once<T, 64>, 64);
  if (rows <= 128 * centred_rows_of_thread)
    return at_once(covariance_centre_at_once<T, 128>, 128);

  const auto most_parts = std::min<std::int64_t>(ceil_div(p.m, 64), 64);
  T* const sums = gpu.scratch<T>(most_parts * p.n);
  constexpr int vector = 16 / sizeof(T);
  if (p.n % vector == 0 && stride % vector == 0) {
    centre<vector>(gpu, p, sums, centred, most_parts, rows, stride);
  } else {
    centre<1>(gpu, p, sums, centred, most_parts, rows, stride);
  }

  return centred;
}

}  // namespace
