// Copies a block of a matrix between rows of different lengths, which cannot be
// sent or copied in one piece.
#pragma once

#include "gpu/gpu.hpp"

namespace parlab {

// Threads along y copy rows, threads along x columns.
template <typename T>
__global__ void copy_rows(const T* from, std::int64_t from_pitch, T* to,
                          std::int64_t to_pitch, std::int64_t rows,
                          std::int64_t cols) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    to[row * to_pitch + col] = from[row * from_pitch + col];
  }
}

// Copies rows x cols elements, row-major; a pitch is the number of elements
// from one row to the next. In stream order; from and to must not overlap.
template <typename T>
void copy_block(Gpu& gpu, const T* from, std::int64_t from_pitch, T* to,
                std::int64_t to_pitch, std::int64_t rows, std::int64_t cols) {
  if (rows == 0 || cols == 0) return;
  gpu.launch(
      {.grid = {ceil_div(cols, 256), blocks_in_y(rows, 1)}, .block = {256}},
      copy_rows<T>, from, from_pitch, to, to_pitch, rows, cols);
}

}  // namespace parlab
