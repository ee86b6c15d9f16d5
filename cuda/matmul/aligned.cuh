// A and B with rows aligned to 16 bytes, as wide and bulk copies require.
// Copies are made if the matrices are not aligned.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/gpu.hpp"
#include "gpu/overlap.hpp"
#include "gpu/store_whole.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// Rows begin at multiples of 16 bytes.
struct AlignedMatrix {
  const void* data;
  std::int64_t pitch;  // bytes
};

struct AlignedOperands {
  AlignedMatrix a, b;
};

// A row of `to` has `pitch` elements; those beyond the row of `from` are zero.
template <typename T>
struct AlignedCopy {
  const T* from;
  T* to;
  std::int64_t rows, cols, pitch;
};

constexpr int aligning_threads = 256;
// pieces of 16 bytes that a lane has under way
constexpr int aligning_pieces = 4;

// Both matrices in one launch. A warp takes a row, or its share of one if
// blocks lie above each other.
template <typename T>
__global__ void __launch_bounds__(aligning_threads)
    matmul_align_rows(AlignedCopy<T> one, AlignedCopy<T> other) {
  let_next_launch_begin();
  constexpr int width = 16 / sizeof(T), pieces = aligning_pieces;
  struct alignas(16) Piece {
    T element[width];
  };
  std::int64_t row =
      (std::int64_t{blockIdx.x} * aligning_threads + threadIdx.x) / 32;
  const AlignedCopy<T> copy = row < one.rows ? one : other;
  if (row >= one.rows) row -= one.rows;
  if (row >= copy.rows) return;

  const T* const from = copy.from + row * copy.cols;
  T* const to = copy.to + row * copy.pitch;
  const std::int64_t step = std::int64_t{gridDim.y} * pieces * 32 * width;
  for (std::int64_t col =
           (std::int64_t{blockIdx.y} * pieces * 32 + threadIdx.x % 32) * width;
       col < copy.pitch; col += step) {
    Piece piece[pieces];
    _Pragma("unroll")
    for (int i = 0; i < pieces; ++i) {
      _Pragma("unroll")
      for (int e = 0; e < width; ++e) {
        const std::int64_t at = col + i * 32 * width + e;
        piece[i].element[e] = at < copy.cols ? from[at] : T{};
      }
    }
    _Pragma("unroll")
    for (int i = 0; i < pieces; ++i) {
      const std::int64_t at = col + i * 32 * width;
      if (at < copy.pitch) store_whole(to + at, piece[i]);
    }
  }
}

// Elements from the start of a row to the next in a copy: a multiple of 16
// bytes. Long rows begin at a line of L2, so that 128 bytes of one are one
// line, not parts of two.
template <typename T>
constexpr std::int64_t aligned_pitch(std::int64_t cols) {
  constexpr std::int64_t line = 128 / sizeof(T), piece = 16 / sizeof(T);
  const std::int64_t unit = cols >= 8 * line ? line : piece;
  return ceil_div(cols, unit) * unit;
}

// The matrices themselves if their rows are aligned, else aligned copies in
// scratch memory.
template <typename T>
AlignedOperands align_operands(Gpu& gpu, const Matmul::Args<T>& p) {
  constexpr std::int64_t width = 16 / sizeof(T);
  const auto copy_of = [&](const T* from, std::int64_t rows,
                           std::int64_t cols) {
    const std::int64_t pitch =
        cols % width == 0 ? cols : aligned_pitch<T>(cols);
    T* const to = pitch > cols ? gpu.scratch<T>(rows * pitch) : nullptr;
    return AlignedCopy<T>{from, to, to ? rows : 0, cols, pitch};
  };
  const AlignedCopy<T> a = copy_of(p.a, p.m, p.k), b = copy_of(p.b, p.k, p.n);
  if (a.rows + b.rows > 0) {
    constexpr std::int64_t at_once = aligning_pieces * 32 * width;
    const std::int64_t longest =
        std::max(a.rows > 0 ? a.pitch : 0, b.rows > 0 ? b.pitch : 0);
    gpu.launch({.grid = {ceil_div((a.rows + b.rows) * 32, aligning_threads),
                         blocks_in_y(longest, at_once)},
                .block = {aligning_threads}},
               matmul_align_rows<T>, a, b);
  }
  const auto aligned = [](const AlignedCopy<T>& m) {
    return AlignedMatrix{m.to ? m.to : m.from,
                         m.pitch * static_cast<std::int64_t>(sizeof(T))};
  };
  return {aligned(a), aligned(b)};
}

}  // namespace
