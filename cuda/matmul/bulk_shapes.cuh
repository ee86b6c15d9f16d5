// The shapes of `tensor_bulk`, and the place of a thread in a tile.
#pragma once

#include "tensor.cuh"

using namespace parlab;

namespace {

// As in tensor.cuh. eights: groups of 8 rows multiplied at a time. narrow:
// whether there is a kernel for a last column of narrow tiles. early: the
// barrier of the next stage is tested one group of products before the stage is
// needed, so that the answer is there by then. sharing: as `begin`, for the
// parts of tiles that are shared.
struct SquareTile {
  static constexpr int rows = 128, cols = 128, warp_rows = 64, warp_cols = 32;
  static constexpr int eights = 2;
  static constexpr bool narrow = true, early = true;
  static constexpr double share = 0.96, begin = 1.6e6, sharing = 3.2e6;
};
struct OblongTile {
  static constexpr int rows = 128, cols = 96, warp_rows = 32, warp_cols = 48;
  static constexpr int eights = 2;
  static constexpr bool narrow = false, early = true;
  static constexpr double share = 0.97, begin = 1.4e6, sharing = 2.9e6;
};
struct SmallerTile {
  static constexpr int rows = 96, cols = 96, warp_rows = 24, warp_cols = 48;
  static constexpr int eights = 1;
  static constexpr bool narrow = false, early = false;
  static constexpr double share = 1.01, begin = 1.4e6, sharing = 2.6e6;
};
struct HalfTile {
  static constexpr int rows = 128, cols = 64, warp_rows = 32, warp_cols = 32;
  static constexpr int eights = 2;
  static constexpr bool narrow = false, early = false;
  static constexpr double share = 1.03, begin = 1.2e6, sharing = 2.2e6;
};

constexpr int bulk_threads = 384, bulk_copier = 256,  // the thread that copies
    bulk_copiers = bulk_threads - bulk_copier;

// Constants that follow from a tile.
template <typename Tile>
struct BulkTiling : Tile {
  static constexpr int warps_down = Tile::rows / Tile::warp_rows;
  static_assert(warps_down * (Tile::cols / Tile::warp_cols) == 8);
  // per warp: groups of rows multiplied at a time, and groups of 16 columns
  static constexpr int down = Tile::warp_rows / (8 * Tile::eights),
                       across = Tile::warp_cols / 16,
                       sums = 4 * Tile::eights * down * across;

  // A stage: 16 columns of A, a row of them 128 bytes, then the same rows of B,
  // in panels of 16 columns. The copies permute pieces of 16 bytes in each
  // eight rows: piece p of row r lies at p ^ r % 8.
  static constexpr int depth = 16, row_bytes = 128;
  static constexpr int a_bytes = Tile::rows * row_bytes,
                       panel_bytes = depth * row_bytes,
                       panels = Tile::cols / 16,
                       stage_bytes = a_bytes + panels * panel_bytes;
  static constexpr int fit = 200 * 1024 / stage_bytes,
                       stages = fit < 8 ? fit : 8;
  static constexpr int shared_bytes = stages * stage_bytes + 1024;
};

// The place of a thread's first sums in the tile: of each 8 rows and 16 columns
// it has rows t and t + 4, columns 2 g and 2 g + 1, with g = lane / 4 and t =
// lane % 4.
template <typename S>
__device__ __forceinline__ int first_row() {
  const int thread = threadIdx.x;
  return thread / 32 % S::warps_down * S::warp_rows + thread % 4;
}
template <typename S>
__device__ __forceinline__ int first_col() {
  const int thread = threadIdx.x;
  return thread / 32 / S::warps_down * S::warp_cols + thread % 32 / 4 * 2;
}

}  // namespace
