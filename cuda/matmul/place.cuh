// Which tile of C a block computes.
#pragma once

#include <cstdint>

namespace parlab {
namespace {

// Groups of 8 rows of tiles, each group walked column by column: blocks that run at the same time
// form a compact part of C, and find each other's A and B in L2.
__device__ __forceinline__ void place_of_block(std::int64_t tiles_down, std::int64_t tiles_across,
                                               std::int64_t& row, std::int64_t& col) {
  constexpr std::int64_t height = 8;
  const std::int64_t block = blockIdx.x, group = block / (height * tiles_across);
  const std::int64_t rows = min(height, tiles_down - group * height);
  const std::int64_t in_group = block - group * height * tiles_across;
  row = group * height + in_group % rows;
  col = in_group / rows;
}

}  // namespace
}  // namespace parlab
