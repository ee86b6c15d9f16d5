// The tile of C that a block computes, and the stores of two neighbouring sums.
#pragma once

#include <cstdint>

using namespace parlab;

namespace {

// Rows or columns of C that tiles cover. If a single one is left over, as in
// 2049 = 16 * 128 + 1, tiles for it would make another wave of blocks. It is a
// fringe, computed in another way.
__host__ __device__ constexpr std::int64_t without_fringe(std::int64_t extent,
                                                          int tile) {
  return extent > tile && extent % tile == 1 ? extent - 1 : extent;
}

// Groups of several rows of tiles, each group column by column: blocks that run
// at the same time form a compact part of C and find each other's A and B in
// L2.
template <int height, typename Index>
__device__ __forceinline__ void place_of_tile(Index tile, Index tiles_down,
                                              Index tiles_across, Index& row,
                                              Index& col) {
  const Index group = tile / (height * tiles_across);
  const Index rows = min(Index{height}, tiles_down - group * height);
  const Index in_group = tile - group * height * tiles_across;
  row = group * height + in_group % rows;
  col = in_group / rows;
}

__device__ __forceinline__ void place_of_block(std::int64_t tiles_down,
                                               std::int64_t tiles_across,
                                               std::int64_t& row,
                                               std::int64_t& col) {
  place_of_tile<8, std::int64_t>(blockIdx.x, tiles_down, tiles_across, row,
                                 col);
}

// Stores columns col and col + 1 (col even) of a row of n floats, if they
// exist: in 8 bytes if rows begin at multiples of those.
__device__ __forceinline__ void store_pair(float* row, std::int64_t col,
                                           std::int64_t n, float left,
                                           float right) {
  if (n % 2 == 0) {
    if (col < n) *reinterpret_cast<float2*>(row + col) = float2{left, right};
  } else {
    if (col < n) row[col] = left;
    if (col + 1 < n) row[col + 1] = right;
  }
}

}  // namespace
