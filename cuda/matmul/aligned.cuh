// Matrices whose rows are aligned to 16 bytes, as wide and bulk copies
// demand, made where they are not.
#pragma once

#include <cstdint>

#include "gpu/gpu.hpp"

using namespace parlab;

namespace {

// Rows begin at multiples of 16 bytes.
struct AlignedMatrix {
  const void* data;
  std::int64_t pitch;  // bytes
};

// A row of `to` is `pitch` elements, what exceeds those of `from` is
// zero. A thread writes 16 bytes.
template <typename T>
__global__ void matmul_align_rows(const T* from,
                                  T* to,
                                  std::int64_t rows,
                                  std::int64_t cols,
                                  std::int64_t pitch) {
  constexpr int width = 16 / sizeof(T);
  struct alignas(16) Piece {
    T element[width];
  };
  const std::int64_t across = pitch / width;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows * across) return;

  const std::int64_t row = i / across, col = i % across * width;
  Piece piece;
  _Pragma("unroll")
  for (int e = 0; e < width; ++e) {
    piece.element[e] = T{};
    if (col + e < cols) piece.element[e] = from[row * cols + col + e];
  }

  *reinterpret_cast<Piece*>(to + row * pitch + col) = piece;
}

// Elements from the beginning of a row to the next in a copy: whole 16 bytes.
// Long rows begin with a line of L2: 128 bytes of one then are one line, not
// parts of two.
template <typename T>
constexpr std::int64_t aligned_pitch(std::int64_t cols) {
  constexpr std::int64_t line = 128 / sizeof(T), piece = 16 / sizeof(T);
  const std::int64_t unit = cols >= 8 * line ? line : piece;
  return ceil_div(cols, unit) * unit;
}

// The matrix itself where its rows are aligned, else a copy in scratch
// memory whose rows are.
template <typename T>
AlignedMatrix align_rows(Gpu& gpu,
                         const T* matrix,
                         std::int64_t rows,
                         std::int64_t cols) {
  constexpr std::int64_t width = 16 / sizeof(T), threads = 256;
  if (cols % width == 0)
    return {matrix, cols * static_cast<std::int64_t>(sizeof(T))};
  const std::int64_t pitch = aligned_pitch<T>(cols);
  T* const copy = gpu.scratch<T>(rows * pitch);
  gpu.launch(
      {.grid = {ceil_div(rows * pitch / width, threads)}, .block = {threads}},
      matmul_align_rows<T>, matrix, copy, rows, cols, pitch);
  return {copy, pitch * static_cast<std::int64_t>(sizeof(T))};
}

}  // namespace
