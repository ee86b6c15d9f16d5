// Elements of float as two halves each, and whether that is accurate enough:
// fp16x3.cu says when it is.
#pragma once

#include <cooperative_groups.h>

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

constexpr int split_threads = 256;

// The largest magnitude of this block's share of a matrix, as bits, which are
// ordered like magnitudes. Returned in all threads.
__device__ __forceinline__ std::uint32_t largest_of_block(
    const SplitMatrix& matrix, std::uint32_t* of_block) {
  if (threadIdx.x == 0) *of_block = 0;
  __syncthreads();
  std::uint32_t mine = 0;
  const auto look_at = [&](float value) {
    mine = max(mine, __float_as_uint(value) & 0x7fffffff);
  };
  const std::int64_t first =
                         std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                     all = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t count = matrix.height * matrix.width;
  const auto* const fours = reinterpret_cast<const float4*>(matrix.from);
  _Pragma("unroll 4")
  for (std::int64_t i = first; i < count / 4; i += all) {
    const float4 four = fours[i];
    look_at(four.x);
    look_at(four.y);
    look_at(four.z);
    look_at(four.w);
  }
  if (first < count % 4) look_at(matrix.from[count / 4 * 4 + first]);

  atomicMax(of_block, mine);
  __syncthreads();
  return *of_block;
}

// Splits a tile of 64 x 64 into two halves per element, and counts. A thread
// has 8 neighbours in every 32nd row.
__device__ __forceinline__ void split_tile(const SplitMatrix& matrix,
                                           std::int64_t tile, float scale,
                                           int (&of_block)[64]) {
  const std::int64_t across = ceil_div(matrix.pitch, std::int64_t{64});
  const std::int64_t row0 = tile / across * 64, col0 = tile % across * 64;
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  const std::int64_t col = col0 + x * 8;
  __syncthreads();  // all have read the counts of the tile before
  if (threadIdx.x < 64) of_block[threadIdx.x] = 0;
  __syncthreads();
  int in_column[8] = {};
  _Pragma("unroll")
  for (int pass = 0; pass < 2; ++pass) {
    const int r = y + 32 * pass;
    const std::int64_t row = row0 + r;
    if (row >= matrix.height || col >= matrix.pitch) break;
    float element[8];
    read_eight(matrix.from + row * matrix.width, col, matrix.width, element);
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
    *reinterpret_cast<SplitPiece*>(matrix.to + row * matrix.pitch + col) =
        piece[0];
    *reinterpret_cast<SplitPiece*>(
        matrix.to + (matrix.height + row) * matrix.pitch + col) = piece[1];
    if (matrix.by_row) atomicAdd(&of_block[r], in_row);
  }

  if (!matrix.by_row) {
    _Pragma("unroll")
    for (int e = 0; e < 8; ++e)
      atomicAdd(&of_block[x * 8 + e], in_column[e]);
  }

  __syncthreads();
  const std::int64_t line = (matrix.by_row ? row0 : col0) + threadIdx.x;
  if (threadIdx.x < 64 && line < matrix.lines())
    atomicAdd(&matrix.large[line], of_block[threadIdx.x]);
}

// Everything before the products, in one launch with barriers of the grid: the
// largest magnitudes, the halves, the judgement, and three bfloat16 where
// halves will not do. largest: one per block for each matrix. k: the products
// of a sum.
//
// Halves will not do if in a row of A or a column of B fewer than three of four
// elements are large, or if the exponents are at the ends of float's range.
__global__ void __launch_bounds__(split_threads)
    matmul_split_halves(SplitMatrices matrices, SplitFacts* facts,
                        std::uint32_t* largest, std::int64_t k) {
  __shared__ std::uint32_t of_matrix;
  __shared__ int of_block[64];
  const auto grid = cooperative_groups::this_grid();
  let_next_launch_begin();
  const std::int64_t thread =
                         std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                     threads = std::int64_t{gridDim.x} * blockDim.x;
  _Pragma("unroll")
  for (int i = 0; i < 2; ++i) {
    if (i >= matrices.count) break;
    const SplitMatrix& matrix = matrices.matrix[i];
    const std::uint32_t mine = largest_of_block(matrix, &of_matrix);
    if (threadIdx.x == 0) largest[i * gridDim.x + blockIdx.x] = mine;
    for (std::int64_t line = thread; line < matrix.lines(); line += threads)
      matrix.large[line] = 0;
  }
  if (thread == 0) facts->uneven = 0;
  grid.sync();

  bool at_the_ends = false;
  _Pragma("unroll")
  for (int i = 0; i < 2; ++i) {
    if (i >= matrices.count) break;
    const SplitMatrix& matrix = matrices.matrix[i];
    __syncthreads();
    if (threadIdx.x == 0) of_matrix = 0;
    __syncthreads();
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
      atomicMax(&of_matrix, largest[i * gridDim.x + b]);
    __syncthreads();
    if (thread == 0) facts->largest[i] = of_matrix;
    const int exponent = split_exponent(of_matrix);
    at_the_ends = at_the_ends || abs(exponent) > 110;
    const float scale = power_of_two(max(-126, min(exponent, 127)));
    const std::int64_t tiles = ceil_div(matrix.height, std::int64_t{64}) *
                               ceil_div(matrix.pitch, std::int64_t{64});
    for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
      split_tile(matrix, tile, scale, of_block);
  }
  grid.sync();

  _Pragma("unroll")
  for (int i = 0; i < 2; ++i) {
    if (i >= matrices.count) break;
    const SplitMatrix& matrix = matrices.matrix[i];
    for (std::int64_t line = thread; line < matrix.lines(); line += threads) {
      if (4 * std::int64_t{matrix.large[line]} < 3 * k) facts->uneven = 1;
    }
  }
  if (at_the_ends && thread == 0) facts->uneven = 1;
  grid.sync();

  if (*const_cast<volatile std::uint32_t*>(&facts->uneven) == 0) return;
  _Pragma("unroll")
  for (int i = 0; i < 2; ++i) {
    if (i < matrices.count)
      split_into_three(matrices.matrix[i], thread, threads);
  }
}

// ---- on the host

// Splits one or two matrices into halves, or into three bfloat16 where halves
// will not do; the facts say which. k: the products of a sum.
inline const SplitFacts* split_into_halves(Gpu& gpu, SplitMatrices matrices,
                                           std::int64_t k) {
  std::int64_t elements = 0;
  for (int i = 0; i < matrices.count; ++i) {
    SplitMatrix& matrix = matrices.matrix[i];
    matrix.large = gpu.scratch<int>(matrix.lines());
    elements = std::max(elements, matrix.height * matrix.width);
  }
  const std::int64_t wave =
      gpu.multiprocessors() *
      gpu.resident_blocks(matmul_split_halves, split_threads);
  const std::int64_t blocks = std::min(wave, ceil_div(elements, 64 * 64));
  auto* const facts = gpu.scratch<SplitFacts>(1);
  gpu.launch({.grid = {blocks}, .block = {split_threads}, .cooperative = true},
             matmul_split_halves, matrices, facts,
             gpu.scratch<std::uint32_t>(2 * blocks), k);
  return facts;
}

}  // namespace
