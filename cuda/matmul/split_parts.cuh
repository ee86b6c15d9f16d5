// Floats as sums of narrow parts, and the splitting of matrices into them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "aligned.cuh"
#include "gpu/overlap.hpp"
#include "gpu/warpgroup.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// a = a0 + a1 + a2, three bfloat16 of 8 bits each: all of a float. Three of the
// nine products are left out, because they are smaller than the last bit of the
// whole.
struct ThreeBfloat16 {
  static constexpr Factor factor = Factor::bf16;
  static constexpr MapElement element = MapElement::bf16;
  // columns of A in a stage
  static constexpr int parts = 3, depth = 32;
  // the parts of a and of b in each product, the smallest first
  static constexpr int small_products = 5;
  static constexpr int a_part(int product) {
    return product < 3 ? product : product - 3;
  }
  static constexpr int b_part(int product) {
    return product < 3 ? 2 - product : 4 - product;
  }
  static constexpr float small_unit = 1;
};

// a = a0 + a1, two halves of 11 bits each. a0 is a, scaled so that all
// elements of the matrix are below 2^15; a1 is the rest, scaled by 2^11
// more. The loss is 2^-23 of an element, or 2^-36 when scaled.
struct TwoHalves {
  static constexpr Factor factor = Factor::f16;
  static constexpr MapElement element = MapElement::f16;
  static constexpr int parts = 2, depth = 64;
  static constexpr int small_products = 2;
  static constexpr int a_part(int product) { return product; }
  static constexpr int b_part(int product) { return 1 - product; }
  static constexpr float small_unit = 0x1p-11f;
};

// The facts about A and B that the device finds before it multiplies them.
struct SplitFacts {
  int exponent[2];       // of the powers of two that scale A and B
  std::uint32_t uneven;  // two halves would lose too much
};

__device__ __forceinline__ float power_of_two(int exponent) {
  return __uint_as_float(static_cast<std::uint32_t>(exponent + 127) << 23);
}

struct alignas(16) SplitPiece {
  std::uint16_t element[8];
};

// Elements col to col + 7 of a row, zero beyond its end. Reads 16 bytes at a
// time if rows begin at multiples of them.
__device__ __forceinline__ void read_eight(const float* row, std::int64_t col,
                                           std::int64_t width, float (&to)[8]) {
  if (width % 4 == 0) {
    _Pragma("unroll")
    for (int e = 0; e < 8; e += 4) {
      float4 four = {0, 0, 0, 0};
      if (col + e < width)
        four = *reinterpret_cast<const float4*>(row + col + e);
      to[e] = four.x;
      to[e + 1] = four.y;
      to[e + 2] = four.z;
      to[e + 3] = four.w;
    }
  } else {
    _Pragma("unroll")
    for (int e = 0; e < 8; ++e)
      to[e] = col + e < width ? row[col + e] : 0.0f;
  }
}

// A matrix to be split: rows of `width` floats become rows of `pitch` narrow
// numbers, filled up with zeros, in parts that follow one another. large: see
// halves.cuh.
struct SplitMatrix {
  const float* from;
  std::uint16_t* to;
  std::int64_t height, width, pitch;
  bool by_row = false;
  unsigned* large = nullptr;

  // rows or columns
  __host__ __device__ std::int64_t lines() const {
    return by_row ? height : width;
  }
  // The share of a warp that splits: 2048 elements.
  __host__ __device__ int share_height() const { return by_row ? 4 : 32; }
  __host__ __device__ int share_width() const { return by_row ? 512 : 64; }
  __host__ __device__ std::int64_t shares() const {
    return ceil_div(height, std::int64_t{share_height()}) *
           ceil_div(pitch, std::int64_t{share_width()});
  }
};

// One or two matrices.
struct SplitMatrices {
  SplitMatrix matrix[2];
  int count;
};

// Three bfloat16 whose sum is the element. Each is the rest that the previous
// ones leave, rounded to nearest. A value that is not finite is in the first
// alone. A thread splits 8 neighbours, then others far behind them.
__device__ __forceinline__ void split_into_three(const SplitMatrix& matrix,
                                                 std::int64_t thread,
                                                 std::int64_t threads) {
  constexpr int parts = ThreeBfloat16::parts;
  const std::int64_t across = matrix.pitch / 8;
  for (std::int64_t i = thread; i < matrix.height * across; i += threads) {
    const std::int64_t row = i / across, col = i % across * 8;
    float element[8];
    read_eight(matrix.from + row * matrix.width, col, matrix.width, element);
    SplitPiece piece[parts];
    _Pragma("unroll")
    for (int e = 0; e < 8; ++e) {
      float rest = element[e];
      _Pragma("unroll")
      for (int part = 0; part < parts; ++part) {
        const std::uint32_t bits = __float_as_uint(rest);

        // Ties to even; a number that would round to infinity is cut off
        // instead.
        std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
        if ((rounded & 0x7f800000) == 0x7f800000) rounded = bits & 0xffff0000;
        piece[part].element[e] = static_cast<std::uint16_t>(rounded >> 16);
        rest = (bits & 0x7f800000) == 0x7f800000
                   ? 0.0f
                   : rest - __uint_as_float(rounded);
      }
    }
    _Pragma("unroll")
    for (int part = 0; part < parts; ++part) {
      *reinterpret_cast<SplitPiece*>(
          matrix.to + (part * matrix.height + row) * matrix.pitch + col) =
          piece[part];
    }
  }
}

__global__ void matmul_split_bfloat16(SplitMatrices matrices) {
  let_next_launch_begin();
  const std::int64_t thread =
      std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  _Pragma("unroll")
  for (int i = 0; i < 2; ++i) {
    if (i >= matrices.count) break;
    split_into_three(matrices.matrix[i], thread,
                     std::int64_t{gridDim.x} * blockDim.x);
  }
}

// ---- on the host

inline std::int64_t split_pitch(std::int64_t width) {
  return aligned_pitch<std::uint16_t>(width);
}

// A and B, whose parts go to a and b.
inline SplitMatrices split_operands(const Matmul::Args<float>& p,
                                    std::uint16_t* a, std::uint16_t* b) {
  return {{{p.a, a, p.m, p.k, split_pitch(p.k), true},
           {p.b, b, p.k, p.n, split_pitch(p.n), false}},
          2};
}

// Splits each element of the matrices into three bfloat16.
inline void split_into_bfloat16(Gpu& gpu, const SplitMatrices& matrices) {
  std::int64_t pieces = 0;
  for (int i = 0; i < matrices.count; ++i) {
    const SplitMatrix& matrix = matrices.matrix[i];
    pieces = std::max(pieces, matrix.height * matrix.pitch / 8);
  }
  gpu.launch({.grid = {std::min<std::int64_t>(ceil_div(pieces, 256),
                                              gpu.multiprocessors() * 8)},
              .block = {256}},
             matmul_split_bfloat16, matrices);
}

}  // namespace
