// Elements of float as two halves each, and whether that is accurate enough:
// fp16x3.cu says when it is.
#pragma once

#include <algorithm>

#include "split.cuh"

using namespace parlab;

namespace {

// In shorter sums halves do not lose less than float does.
constexpr std::int64_t least_products_for_halves = 256;

// The bits of the nearest half, and the value of a half.
__device__ __forceinline__ std::uint16_t nearest_half(
    [[maybe_unused]] float value) {
  std::uint16_t bits = 0;
  PARLAB_SM90A("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
__device__ __forceinline__ float of_half([[maybe_unused]] std::uint16_t bits) {
  float value = 0;
  PARLAB_SM90A("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}

__global__ void matmul_largest(const float* matrix, std::int64_t count,
                               std::uint32_t* largest) {
  __shared__ std::uint32_t of_block;
  let_next_launch_begin();
  wait_for_launch_before();
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  std::uint32_t mine = 0;  // magnitudes are ordered like their bits
  const auto look_at = [&](float value) {
    mine = max(mine, __float_as_uint(value) & 0x7fffffff);
  };
  const std::int64_t first =
                         std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                     all = std::int64_t{gridDim.x} * blockDim.x;
  const auto* const fours = reinterpret_cast<const float4*>(matrix);
  for (std::int64_t i = first; i < count / 4; i += all) {
    const float4 four = fours[i];
    look_at(four.x);
    look_at(four.y);
    look_at(four.z);
    look_at(four.w);
  }
  if (first < count % 4) look_at(matrix[count / 4 * 4 + first]);

  atomicMax(&of_block, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(largest, of_block);
}

// Two halves per element. A block takes 256 rows x 64 columns, a thread 8
// neighbours in every 32nd row. `large` counts the elements of each row
// (BY_ROW) or column that are at least 2^-10 of the largest.
template <bool BY_ROW>
__global__ void matmul_split_half(const float* from, std::uint16_t* to,
                                  std::int64_t height, std::int64_t width,
                                  std::int64_t pitch,
                                  const std::uint32_t* largest, int* large) {
  __shared__ int of_block[BY_ROW ? 256 : 64];
  let_next_launch_begin();
  wait_for_launch_before();
  for (int i = threadIdx.x; i < (BY_ROW ? 256 : 64); i += blockDim.x)
    of_block[i] = 0;
  __syncthreads();
  const int exponent = split_exponent(*largest);

  // A scale beyond float's exponents marks the matrix as uneven: see
  // matmul_judge().
  const float scale = power_of_two(max(-126, min(exponent, 127)));
  const std::int64_t across = ceil_div(pitch, std::int64_t{64});
  const std::int64_t row0 = blockIdx.x / across * 256;
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  const std::int64_t col = blockIdx.x % across * 64 + x * 8;
  int in_column[8] = {};
  for (int r = y; r < 256; r += 32) {
    const std::int64_t row = row0 + r;
    if (row >= height || col >= pitch) break;
    float element[8];
    read_eight(from + row * width, col, width, element);
    SplitPiece piece[2];
    int in_row = 0;
    _Pragma("unroll")
    for (int e = 0; e < 8; ++e) {
      const float value = element[e] * scale;
      const bool counts = fabsf(value) >= 0x1p4f;
      in_row += counts;
      in_column[e] += counts;
      piece[0].element[e] = nearest_half(value);
      piece[1].element[e] =
          nearest_half((value - of_half(piece[0].element[e])) * 0x1p11f);
    }
    *reinterpret_cast<SplitPiece*>(to + row * pitch + col) = piece[0];
    *reinterpret_cast<SplitPiece*>(to + (height + row) * pitch + col) =
        piece[1];
    if (BY_ROW) atomicAdd(&of_block[r], in_row);
  }

  if (!BY_ROW) {
    _Pragma("unroll")
    for (int e = 0; e < 8; ++e)
      atomicAdd(&of_block[x * 8 + e], in_column[e]);
  }

  __syncthreads();
  for (int i = threadIdx.x; i < (BY_ROW ? 256 : 64); i += blockDim.x) {
    const std::int64_t at = BY_ROW ? row0 + i : blockIdx.x % across * 64 + i;
    if (at < (BY_ROW ? height : width)) atomicAdd(&large[at], of_block[i]);
  }
}

// Uneven if in a row of A or a column of B fewer than three of four elements
// are large, or if the exponents are at the ends of float's range. A thread
// tests one row or column. matrices: 1 or 2.
__global__ void matmul_judge(SplitFacts* facts, const int* large,
                             std::int64_t count, std::int64_t k, int matrices) {
  let_next_launch_begin();
  wait_for_launch_before();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count && 4 * std::int64_t{large[i]} < 3 * k) facts->uneven = 1;
  if (i < matrices && abs(split_exponent(facts->largest[i])) > 110)
    facts->uneven = 1;
}

// ---- on the host

// The facts about the matrices, followed by the counts of their rows or
// columns.
struct HalvesFacts {
  SplitFacts* facts;
  int* large;
};
inline HalvesFacts halves_facts(Gpu& gpu, std::int64_t counts) {
  const std::int64_t bytes = sizeof(SplitFacts) + counts * sizeof(int);
  auto* const facts =
      reinterpret_cast<SplitFacts*>(gpu.scratch<unsigned char>(bytes));
  gpu.clear(facts, bytes);
  return {facts, reinterpret_cast<int*>(facts + 1)};
}

// Splits a matrix, whose largest magnitude becomes facts->largest[which], into
// halves; adds to counts[], one for each row or for each column.
template <bool BY_ROW>
void split_into_halves(Gpu& gpu, const float* matrix, std::uint16_t* to,
                       std::int64_t height, std::int64_t width,
                       SplitFacts* facts, int which, int* counts) {
  const std::int64_t count = height * width, pitch = split_pitch(width);
  gpu.launch({.grid = {std::min<std::int64_t>(ceil_div(count, 4 * 256),
                                              gpu.multiprocessors() * 8)},
              .block = {256},
              .overlaps = true},
             matmul_largest, matrix, count, &facts->largest[which]);
  gpu.launch({.grid = {ceil_div(height, 256) * ceil_div(pitch, 64)},
              .block = {256},
              .overlaps = true},
             matmul_split_half<BY_ROW>, matrix, to, height, width, pitch,
             &facts->largest[which], counts);
}

}  // namespace
