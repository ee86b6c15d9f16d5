// The kernel of `tiled` and `padded`, which differ in the length of a row of
// the tile.
#pragma once

#include "gpu/gpu.hpp"
#include "workloads/transpose.hpp"

using namespace parlab;

namespace {

constexpr int tile_size = 32;

// A block copies a tile of a into shared memory row by row. It writes the
// columns of the tile as rows of b. blockDim.x: tile_size.
template <typename T, int pitch>
__global__ void transpose_tile(const T* a, T* b, std::int64_t rows,
                               std::int64_t cols) {
  __shared__ T tile[tile_size * pitch];
  const std::int64_t col0 = std::int64_t{blockIdx.x} * tile_size;
  const int x = threadIdx.x;

  // A block takes several tiles if the grid has too few blocks in y.
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * tile_size; row0 < rows;
       row0 += std::int64_t{gridDim.y} * tile_size) {
    for (int y = threadIdx.y; y < tile_size; y += blockDim.y) {
      if (row0 + y < rows && col0 + x < cols)
        tile[y * pitch + x] = a[(row0 + y) * cols + col0 + x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < tile_size; y += blockDim.y) {
      if (col0 + y < cols && row0 + x < rows)
        b[(col0 + y) * rows + row0 + x] = tile[x * pitch + y];
    }
    __syncthreads();  // before the next tile overwrites this one
  }
}

// block_y: rows of the tile that a block copies at a time.
template <int pitch, typename T>
void launch_tile(Gpu& gpu, const Transpose::Args<T>& p, std::int64_t block_y) {
  gpu.launch(
      {.grid = {ceil_div(p.cols, tile_size), blocks_in_y(p.rows, tile_size)},
       .block = {tile_size, block_y}},
      transpose_tile<T, pitch>, p.a, p.b, p.rows, p.cols);
}

}  // namespace
