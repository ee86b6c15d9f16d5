// The kernel of `resident`; resident.cu says how it works. `fused` leaves small
// matrices to it.
#pragma once

#include <cuda_pipeline.h>

#include <algorithm>

#include "gpu/gpu.hpp"
#include "gpu/overlap.hpp"
#include "sum.cuh"
#include "workloads/atax.hpp"

using namespace parlab;

namespace {

// The share of a block, and the layout of its shared memory: the share, with
// room to begin anywhere inside 16 bytes; x; the parts of t; t.
template <typename T>
struct Residents {
  std::int64_t rows, cols;
  int rows_of_block;
  int parts;  // warps that share the product of a row with x

  static constexpr int word = 16 / sizeof(T);  // elements in 16 bytes

  __host__ __device__ int x_at() const {
    return static_cast<int>(rows_of_block * cols + 2 * word - 1) / word * word;
  }
  __host__ __device__ int parts_at() const {
    return x_at() + static_cast<int>(cols);
  }
  __host__ __device__ int t_at() const {
    return parts_at() + rows_of_block * parts;
  }
  std::size_t bytes() const { return sizeof(T) * (t_at() + rows_of_block); }
};

// to[i] = from[i], i < count, by all threads of the block. Both begin at the
// same place inside 16 bytes. All but the first and last few elements are
// copied 16 bytes at a time.
template <typename T>
__device__ __forceinline__ void copy_together(T* to, const T* from, int count) {
  constexpr int word = Residents<T>::word;
  const int past = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) /
                                    sizeof(T) % word);
  const int head = min((word - past) % word, count),
            words = (count - head) / word;
  const int tail = head + words * word;
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    __pipeline_memcpy_async(to + head + i * word, from + head + i * word, 16);
  }

  const int i = threadIdx.x;
  if (i < head) __pipeline_memcpy_async(to + i, from + i, sizeof(T));
  if (i < count - tail)
    __pipeline_memcpy_async(to + tail + i, from + tail + i, sizeof(T));
}

// Rows of the share times x: part[row * parts + p] is one warp's part of a
// row's product.
template <typename T>
__device__ __forceinline__ void times_x(const T* share, const T* x, T* part,
                                        int rows, int cols, int parts) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32,
            warps = blockDim.x / 32;
  const int columns = (cols + parts - 1) / parts;
  for (int i = warp; i < rows * parts; i += warps) {
    const T* const row = share + i / parts * cols;
    const int first = i % parts * columns, end = min(first + columns, cols);
    T sum = 0;
    _Pragma("unroll 4")
    for (int col = first + lane; col < end; col += 32)
      sum += row[col] * x[col];
    sum = warp_sum(sum);
    if (lane == 0) part[i] = sum;
  }
}

// Dynamic shared memory: see Residents. ys: blocks x cols.
template <typename T>
__global__ void __launch_bounds__(1024)
    atax_resident(const T* a, const T* x, T* ys, const Residents<T> at) {
  let_next_launch_begin();
  const std::int64_t first = std::int64_t{blockIdx.x} * at.rows_of_block;
  const int cols = static_cast<int>(at.cols), thread = threadIdx.x;
  const int rows =
      static_cast<int>(min(std::int64_t{at.rows_of_block}, at.rows - first));
  const T* const from = a + first * at.cols;
  const auto past =
      reinterpret_cast<std::uintptr_t>(from) / sizeof(T) % at.word;

  T* const shared = shared_memory<T>();
  T* const share = shared + past;
  T* const x_here = shared + at.x_at();
  T* const part = shared + at.parts_at();
  T* const t = shared + at.t_at();

  copy_together(share, from, rows * cols);
  for (int col = thread; col < cols; col += blockDim.x) {
    __pipeline_memcpy_async(x_here + col, x + col, sizeof(T));
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();

  times_x(share, x_here, part, rows, cols, at.parts);
  __syncthreads();

  for (int row = thread; row < rows; row += blockDim.x) {
    T sum = 0;
    for (int p = 0; p < at.parts; ++p)
      sum += part[row * at.parts + p];
    t[row] = sum;
  }
  __syncthreads();

  for (int col = thread; col < cols; col += blockDim.x) {
    T sum = 0;
    _Pragma("unroll 4")
    for (int row = 0; row < rows; ++row)
      sum += share[row * cols + col] * t[row];
    ys[blockIdx.x * at.cols + col] = sum;
  }
}

// The fewest rows per block that let all blocks run at once.
template <typename T>
Residents<T> residents_of(const Gpu& gpu, const Atax::Args<T>& p,
                          std::int64_t block) {
  const auto rows_of_block = ceil_div(p.rows, gpu.multiprocessors());
  const auto parts =
      std::clamp<std::int64_t>(block / 32 / rows_of_block, 1, 32);
  return {p.rows, p.cols, static_cast<int>(rows_of_block),
          static_cast<int>(parts)};
}

// Whether the matrix fits the shared memory of all multiprocessors.
template <typename T>
bool is_resident(const Gpu& gpu, const Atax::Args<T>& p, std::int64_t block) {
  // As a double first: for a large matrix the offsets in shared memory do not
  // fit an int.
  const double elements =
      static_cast<double>(ceil_div(p.rows, gpu.multiprocessors()) + 1) * p.cols;
  if (elements * sizeof(T) > static_cast<double>(gpu.max_shared_bytes()))
    return false;
  return residents_of(gpu, p, block).bytes() <= gpu.max_shared_bytes();
}

template <typename T>
void run_resident(Gpu& gpu, const Atax::Args<T>& p, std::int64_t block) {
  const auto residents = residents_of(gpu, p, block);
  const auto blocks = ceil_div(p.rows, std::int64_t{residents.rows_of_block});
  T* const ys = gpu.scratch<T>(blocks * p.cols);
  gpu.launch(
      {.grid = {blocks}, .block = {block}, .shared_bytes = residents.bytes()},
      atax_resident<T>, p.a, p.x, ys, residents);
  add_up(gpu, static_cast<const T*>(ys), p.y, p.cols, blocks);
}

// Threads of a block: 256 if each then copies at most ten words of a small
// share, since more threads only make each barrier longer. As measured on an
// H100.
template <typename T>
std::int64_t resident_block(const Gpu& gpu, const Atax::Args<T>& p) {
  constexpr std::int64_t small_bytes = 256 * 10 * 16;
  const auto rows_of_block = ceil_div(p.rows, gpu.multiprocessors());
  return rows_of_block * p.cols * std::int64_t{sizeof(T)} <= small_bytes ? 256
                                                                         : 512;
}

}  // namespace
