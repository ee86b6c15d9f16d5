// One kernel for both products, with the barrier of the whole grid between them
// that the report's kernel lacked. All blocks must be resident at once, so the
// grid is as large as the device holds, and a block takes several pieces of
// work.
//
// The cut into pieces also ends the lack of threads. In the first product a
// block takes a row, and its threads read neighbouring elements. In the second
// the rows are cut into slices, as many as there are blocks for. A thread adds
// up one column of its slice; after another barrier, one thread adds the slices
// of each column, always in the same order.
#include <cooperative_groups.h>

#include <algorithm>

#include "gpu/gpu.hpp"
#include "workloads/atax.hpp"

using namespace parlab;

namespace {

// The block's sum, returned in its first thread. part: one element per warp.
template <typename T>
__device__ T block_sum(T sum, T* part) {
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp)
      sum += part[warp];
  }

  __syncthreads();  // before part is used again
  return sum;
}

// t: rows elements, ys: slices x cols.
template <typename T>
__global__ void __launch_bounds__(1024)
    atax_cooperative(const T* a, const T* x, T* y, T* t, T* ys,
                     std::int64_t rows, std::int64_t cols,
                     std::int64_t slices) {
  const auto grid = cooperative_groups::this_grid();
  __shared__ T part[32];
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    T sum = 0;
    _Pragma("unroll 8")
    for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
      sum += a[row * cols + col] * x[col];
    }
    sum = block_sum(sum, part);
    if (threadIdx.x == 0) t[row] = sum;
  }

  grid.sync();

  const std::int64_t chunks = (cols + blockDim.x - 1) / blockDim.x;
  for (std::int64_t piece = blockIdx.x; piece < chunks * slices;
       piece += gridDim.x) {
    const std::int64_t slice = piece / chunks,
                       col = piece % chunks * blockDim.x + threadIdx.x;
    const std::int64_t end = (slice + 1) * rows / slices;
    if (col >= cols) continue;
    T sum = 0;
    _Pragma("unroll 8")
    for (std::int64_t row = slice * rows / slices; row < end; ++row) {
      sum += a[row * cols + col] * t[row];
    }
    ys[slice * cols + col] = sum;
  }

  grid.sync();

  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       col < cols; col += threads) {
    T sum = 0;
    _Pragma("unroll 8")
    for (std::int64_t slice = 0; slice < slices; ++slice)
      sum += ys[slice * cols + col];
    y[col] = sum;
  }
}

}  // namespace

const Register<Atax, float, double> variant(
    {
        .rung = 3,
        .idea = "one kernel with a grid barrier, as many blocks as are "
                "resident; rows cut into slices",
        .tunables = {block_size(256, 32)},
    },
    []<typename T>(Gpu& gpu, const Atax::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      const std::int64_t grid =
          gpu.multiprocessors() *
          gpu.resident_blocks(atax_cooperative<T>, static_cast<int>(block));
      const auto slices =
          std::clamp<std::int64_t>(grid / ceil_div(p.cols, block), 1, p.rows);
      gpu.launch({.grid = {grid}, .block = {block}, .cooperative = true},
                 atax_cooperative<T>, p.a, p.x, p.y, gpu.scratch<T>(p.rows),
                 gpu.scratch<T>(slices * p.cols), p.rows, p.cols, slices);
    });
