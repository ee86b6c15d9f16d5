// Sums for `resident` and `fused`: over a warp, and of all blocks' parts of y.
#pragma once

#include "gpu/overlap.hpp"
#include "workloads/atax.hpp"

using namespace parlab;

namespace {

template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }

  return value;
}

// y = the sum of `count` rows of ys (count x cols), in a fixed order; 32
// columns per block of 32 x 16 threads. zeroed: `zeros` elements to be set to
// zero. It overlaps the previous launch.
template <typename T, typename Word>
__global__ void __launch_bounds__(512)
    atax_sum(const T* ys, T* y, std::int64_t cols, std::int64_t count,
             Word* zeroed, std::int64_t zeros) {
  __shared__ T part[16][32];
  const std::int64_t col = std::int64_t{blockIdx.x} * 32 + threadIdx.x;
  wait_for_launch_before();

  T sum = 0;
  if (col < cols) {
    _Pragma("unroll 4")
    for (std::int64_t i = threadIdx.y; i < count; i += 16)
      sum += ys[i * cols + col];
  }

  part[threadIdx.y][threadIdx.x] = sum;
  const std::int64_t first =
      std::int64_t{blockIdx.x} * 512 + threadIdx.y * 32 + threadIdx.x;
  for (std::int64_t i = first; i < zeros; i += std::int64_t{gridDim.x} * 512)
    zeroed[i] = 0;

  __syncthreads();
  if (threadIdx.y > 0 || col >= cols) return;

  _Pragma("unroll")
  for (int i = 1; i < 16; ++i)
    sum += part[i][threadIdx.x];
  y[col] = sum;
}

template <typename T, typename Word = unsigned>
void add_up(Gpu& gpu, const T* ys, T* y, std::int64_t cols, std::int64_t count,
            Word* zeroed = nullptr, std::int64_t zeros = 0) {
  gpu.launch(
      {.grid = {ceil_div(cols, 32)}, .block = {32, 16}, .overlaps = true},
      atax_sum<T, Word>, ys, y, cols, count, zeroed, zeros);
}

}  // namespace
