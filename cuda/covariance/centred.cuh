// What the variants on the GPU have in common before the product: the means and the centred copy.
#pragma once

#include "contracts/covariance.hpp"
#include "device/gpu.hpp"

// Blocks of 32 columns x 8 rows: a warp reads neighbours. A block adds up every gridDim.y-th group
// of 8 rows; sums: gridDim.y x n.
template <typename T>
__global__ void covariance_column_sums(const T* data, T* sums, std::int64_t m, std::int64_t n) {
  __shared__ T parts[8][32];
  const std::int64_t col = std::int64_t{blockIdx.x} * 32 + threadIdx.x;
  T sum = 0;
  if (col < n) {
    for (std::int64_t row = std::int64_t{blockIdx.y} * 8 + threadIdx.y; row < m;
         row += std::int64_t{gridDim.y} * 8) {
      sum += data[row * n + col];
    }
  }
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0 || col >= n) return;
  for (int i = 1; i < 8; ++i) sum += parts[i][threadIdx.x];
  sums[blockIdx.y * n + col] = sum;
}

// A thread a column.
template <typename T>
__global__ void covariance_means(const T* sums, T* mean, std::int64_t parts, std::int64_t n,
                                 T mean_divisor) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= n) return;
  T sum = 0;
#pragma unroll 8  // few threads: each has several reads under way
  for (std::int64_t part = 0; part < parts; ++part) sum += sums[part * n + col];
  mean[col] = sum / mean_divisor;
}

// centred: rows x stride. What lies beyond the m x n elements of data becomes 0.
template <typename T>
__global__ void covariance_centre(const T* data, const T* mean, T* centred, std::int64_t m,
                                  std::int64_t n, std::int64_t rows, std::int64_t stride) {
  const std::int64_t col = std::int64_t{blockIdx.x} * 32 + threadIdx.x;
  if (col >= stride) return;
  const T of_column = col < n ? mean[col] : T{0};
  for (std::int64_t row = std::int64_t{blockIdx.y} * 8 + threadIdx.y; row < rows;
       row += std::int64_t{gridDim.y} * 8) {
    centred[row * stride + col] = row < m && col < n ? data[row * n + col] - of_column : T{0};
  }
}

namespace parlab {

// data less its means in scratch memory, rows x stride, with zeros where data has no element.
template <typename T>
T* centred_copy(Gpu& gpu, const Covariance::Args<T>& p, std::int64_t rows, std::int64_t stride) {
  // Enough blocks for every multiprocessor, and each with enough rows for its threads.
  const auto parts = std::min<std::int64_t>(ceil_div(p.m, 64), 64);
  T* const sums = gpu.scratch<T>(parts * p.n);
  T* const mean = gpu.scratch<T>(p.n);
  T* const centred = gpu.scratch<T>(rows * stride);
  gpu.launch({.grid = {ceil_div(p.n, 32), parts}, .block = {32, 8}}, covariance_column_sums<T>,
             p.data, sums, p.m, p.n);
  gpu.launch({.grid = {ceil_div(p.n, 128)}, .block = {128}}, covariance_means<T>, sums, mean, parts,
             p.n, p.mean_divisor);
  gpu.launch({.grid = {ceil_div(stride, 32), std::min<std::int64_t>(ceil_div(rows, 32), 65535)},
              .block = {32, 8}},
             covariance_centre<T>, p.data, mean, centred, p.m, p.n, rows, stride);
  return centred;
}

}  // namespace parlab
