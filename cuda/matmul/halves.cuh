// Elements of float as two halves each, and whether that is accurate enough:
// fp16x3.cu says when it is.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>

#include "gpu/store_whole.hpp"
#include "split.cuh"

using namespace parlab;

namespace {

// In shorter sums halves do not lose less than float does.
constexpr std::int64_t least_products_for_halves = 256;

// The bits of the halves nearest to two numbers, the first one in the lower
// bits, and their values.
__device__ __forceinline__ std::uint32_t nearest_halves(
    [[maybe_unused]] float first, [[maybe_unused]] float second) {
  std::uint32_t bits = 0;
  PARLAB_SM90A("cvt.rn.f16x2.f32 %0, %1, %2;"
               : "=r"(bits)
               : "f"(second), "f"(first));
  return bits;
}
__device__ __forceinline__ void of_halves([[maybe_unused]] std::uint32_t bits,
                                          float& first, float& second) {
  first = second = 0;
  PARLAB_SM90A(
      "{\n.reg .b16 first, second;\nmov.b32 {first, second}, %2;\n"
      "cvt.f32.f16 %0, first;\ncvt.f32.f16 %1, second;\n}"
      : "=f"(first), "=f"(second)
      : "r"(bits));
}

// Eight halves.
struct alignas(16) EightHalves {
  std::uint32_t two[4];
};

constexpr int split_threads = 512;

// The largest of 2048 elements of a matrix, far apart, as bits, which are
// ordered like magnitudes: this thread's part.
__device__ __forceinline__ std::uint32_t largest_of_sample(
    const SplitMatrix& matrix) {
  const std::int64_t count = matrix.height * matrix.width,
                     apart = max(std::int64_t{1}, (count / 2048 - 1) | 1);
  std::uint32_t largest = 0;
  _Pragma("unroll")
  for (int i = 0; i < 2048 / split_threads; ++i) {
    const std::int64_t at = (i * split_threads + threadIdx.x) * apart;
    if (at < count)
      largest = max(largest, __float_as_uint(matrix.from[at]) & 0x7fffffff);
  }
  return largest;
}

// Splits eight neighbours into two halves each, and counts the large ones: all,
// or each column's in a byte. Returns whether one is too large for a half.
__device__ __forceinline__ bool split_eight(const float (&element)[8],
                                            float scale, bool by_row,
                                            std::uint32_t (&large)[2],
                                            EightHalves (&part)[2]) {
  bool too_large = false;
  _Pragma("unroll")
  for (int e = 0; e < 8; ++e) {
    const float value = fabsf(element[e] * scale);
    too_large = too_large || !(value < 0x1p15f);
    if (value >= 0x1p4f) large[e / 4] += by_row ? 1u : 1u << 8 * (e % 4);
  }
  _Pragma("unroll")
  for (int i = 0; i < 4; ++i) {
    const float first = element[2 * i] * scale,
                second = element[2 * i + 1] * scale;
    part[0].two[i] = nearest_halves(first, second);
    float near_first, near_second;
    of_halves(part[0].two[i], near_first, near_second);
    part[1].two[i] = nearest_halves((first - near_first) * 0x1p11f,
                                    (second - near_second) * 0x1p11f);
  }
  return too_large;
}

// Splits a warp's share of a matrix, and adds up the large elements of its
// lines: 512 elements of 4 rows or, if columns are counted, 64 of 32 rows. At a
// time it reads 32 of each lane. Returns whether a lane's are too large.
__device__ __forceinline__ bool split_share(const SplitMatrix& matrix,
                                            std::int64_t share, float scale) {
  const int lane = threadIdx.x % 32, x = lane % 8, y = lane / 8;
  const bool by_row = matrix.by_row;
  const std::int64_t across = ceil_div(matrix.pitch, matrix.share_width());
  std::int64_t row = share / across * matrix.share_height() + y,
               col = share % across * matrix.share_width() + x * 8;
  const int down = by_row ? 0 : 4, right = by_row ? 64 : 0;
  const std::int64_t first_row = row, first_col = col;
  std::uint32_t large[2] = {};
  bool too_large = false;
  _Pragma("unroll 1")
  for (int half = 0; half < 2; ++half) {
    float element[4][8] = {};
    _Pragma("unroll")
    for (int i = 0; i < 4; ++i) {
      if (row + i * down < matrix.height && col + i * right < matrix.pitch) {
        read_eight(matrix.from + (row + i * down) * matrix.width,
                   col + i * right, matrix.width, element[i]);
      }
    }
    _Pragma("unroll")
    for (int i = 0; i < 4; ++i, row += down, col += right) {
      EightHalves part[2];
      too_large =
          split_eight(element[i], scale, by_row, large, part) || too_large;
      if (row >= matrix.height || col >= matrix.pitch) continue;
      auto* const to = matrix.to + row * matrix.pitch + col;
      store_whole(to, part[0]);
      store_whole(to + matrix.height * matrix.pitch, part[1]);
    }
  }

  if (by_row) {
    std::uint32_t all = large[0] + large[1];
    _Pragma("unroll")
    for (int lanes = 1; lanes < 8; lanes *= 2)
      all += __shfl_xor_sync(~0u, all, lanes);
    if (x == 0 && first_row < matrix.height)
      atomicAdd(&matrix.large[first_row], all);
  } else {
    _Pragma("unroll")
    for (int lanes = 8; lanes < 32; lanes *= 2) {
      large[0] += __shfl_xor_sync(~0u, large[0], lanes);
      large[1] += __shfl_xor_sync(~0u, large[1], lanes);
    }
    _Pragma("unroll")
    for (int i = 0; i < 2; ++i) {  // lane y adds columns 2 y and 2 y + 1
      const std::int64_t column = first_col + 2 * y + i;
      const std::uint32_t four = large[y / 2] >> 8 * (2 * y % 4 + i);
      if (column < matrix.width) atomicAdd(&matrix.large[column], four & 255);
    }
  }
  return too_large;
}

// Everything before the products, in one launch with barriers of the grid: the
// scale, the halves, the judgement, and three bfloat16 where halves will not
// do. The largest of some elements is 2^11 to 2^12 when scaled: others may be 8
// times as large. unfit_blocks: one for each block. k: the products of a sum.
//
// Halves will not do if an element is too large for them, if in a row of A or a
// column of B fewer than three of four elements are large, or if the exponents
// are at the ends of float's range.
__global__ void __launch_bounds__(split_threads)
    matmul_split_halves(SplitMatrices matrices, SplitFacts* facts,
                        int* unfit_blocks, std::int64_t k) {
  __shared__ std::uint32_t largest[2];
  const auto grid = cooperative_groups::this_grid();
  let_next_launch_begin();
  if (threadIdx.x < 2) largest[threadIdx.x] = 0;
  __syncthreads();
  _Pragma("unroll")
  for (int i = 0; i < 2; ++i) {
    if (i < matrices.count)
      atomicMax(&largest[i], largest_of_sample(matrices.matrix[i]));
  }
  __syncthreads();

  // Neighbouring shares are of different blocks.
  bool unfit = false;
  std::int64_t share = std::int64_t{threadIdx.x / 32} * gridDim.x + blockIdx.x;
  _Pragma("unroll")
  for (int i = 0; i < 2; ++i) {
    if (i >= matrices.count) break;
    const SplitMatrix& matrix = matrices.matrix[i];
    const int exponent = 11 - (static_cast<int>(largest[i] >> 23) - 127);
    if (blockIdx.x == 0 && threadIdx.x == 0) facts->exponent[i] = exponent;
    unfit = unfit || abs(exponent) > 110;
    const float scale = power_of_two(max(-126, min(exponent, 127)));
    const std::int64_t shares = matrix.shares();
    for (; share < shares; share += gridDim.x * (split_threads / 32))
      unfit = split_share(matrix, share, scale) || unfit;
    share -= shares;  // a warp goes on where the last one ends
  }
  grid.sync();

  const std::int64_t thread =
                         std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                     threads = std::int64_t{gridDim.x} * blockDim.x;
  _Pragma("unroll")
  for (int i = 0; i < 2; ++i) {
    if (i >= matrices.count) break;
    const SplitMatrix& matrix = matrices.matrix[i];
    for (std::int64_t line = thread; line < matrix.lines(); line += threads) {
      unfit = unfit || 4 * std::int64_t{matrix.large[line]} < 3 * k;
      matrix.large[line] = 0;  // for the next launch
    }
  }
  unfit = __syncthreads_or(unfit);
  if (threadIdx.x == 0) unfit_blocks[blockIdx.x] = unfit;
  grid.sync();

  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x)
    unfit = unfit || unfit_blocks[block] != 0;
  unfit = __syncthreads_or(unfit);
  if (thread == 0) facts->uneven = unfit;
  if (!unfit) return;
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
  std::int64_t shares = 0;
  for (int i = 0; i < matrices.count; ++i) {
    SplitMatrix& matrix = matrices.matrix[i];
    matrix.large = gpu.zeroed_scratch<unsigned>(matrix.lines());
    shares += matrix.shares();
  }
  const std::int64_t wave =
      gpu.multiprocessors() *
      gpu.resident_blocks(matmul_split_halves, split_threads);
  const std::int64_t blocks = std::min(wave, shares);
  auto* const facts = gpu.scratch<SplitFacts>(1);
  gpu.launch({.grid = {blocks}, .block = {split_threads}, .cooperative = true},
             matmul_split_halves, matrices, facts, gpu.scratch<int>(blocks), k);
  return facts;
}

}  // namespace
