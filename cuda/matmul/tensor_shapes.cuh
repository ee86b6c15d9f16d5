// The shapes of `tensor`, for its kernel and that of `tensor_bulk`.
#pragma once

#include "gpu/gpu.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// rows x cols: of C, per block and per warp. depth: columns of A in a stage of
// shared memory, divided among the slices; a slice is a group of warps that has
// the whole tile. product: columns of A multiplied at a time. share: relative
// time for the same work. waiting: tiles that a multiprocessor's few blocks
// cost more. begin: the time before and after the tiles, in elements of C times
// columns of A. As measured on an H200.
struct LargeTile {
  static constexpr int rows = 128, cols = 64, warp_rows = 64, warp_cols = 32;
  static constexpr int depth = 16, product = 8, slices = 1, stages = 4,
                       blocks_per_sm = 2;
  static constexpr double share = 1.05, waiting = 0, begin = 2.3e6;
};
// For problems of medium size: eight warps share a block's work.
struct WholeTile {
  static constexpr int rows = 128, cols = 64, warp_rows = 32, warp_cols = 32;
  static constexpr int depth = 32, product = 16, slices = 1, stages = 4,
                       blocks_per_sm = 1;
  static constexpr double share = 1, waiting = 0, begin = 2.4e6;
};
// For 512 x 512 to 1200 x 1200: the number of these tiles is often just below
// that of multiprocessors.
struct BroadTile {
  static constexpr int rows = 80, cols = 64, warp_rows = 16, warp_cols = 32;
  static constexpr int depth = 32, product = 16, slices = 1, stages = 4,
                       blocks_per_sm = 1;
  static constexpr double share = 1.25, waiting = 0, begin = 1.4e6;
};
struct MiddleTile {
  static constexpr int rows = 48, cols = 64, warp_rows = 16, warp_cols = 32;
  static constexpr int depth = 32, product = 8, slices = 2, stages = 4,
                       blocks_per_sm = 1;
  static constexpr double share = 1.16, waiting = 0.05, begin = 1.12e6;
};
struct SmallTile {
  static constexpr int rows = 32, cols = 64, warp_rows = 16, warp_cols = 32;
  static constexpr int depth = 32, product = 16, slices = 1, stages = 3,
                       blocks_per_sm = 3;
  static constexpr double share = 1.07, waiting = 0.4, begin = 0.95e6;
};
// As many elements and twice as many warps, for less than two tiles per
// multiprocessor.
struct TallTile {
  static constexpr int rows = 64, cols = 32, warp_rows = 16, warp_cols = 32;
  static constexpr int depth = 32, product = 8, slices = 2, stages = 4,
                       blocks_per_sm = 2;
  static constexpr double share = 1.115, waiting = 0.18, begin = 1.07e6;
};
struct TinyTile {
  static constexpr int rows = 32, cols = 32, warp_rows = 16, warp_cols = 32;
  static constexpr int depth = 64, product = 16, slices = 2, stages = 3,
                       blocks_per_sm = 2;
  static constexpr double share = 1.32, waiting = 0.34, begin = 1.03e6;
};

// Constants that follow from a tile.
template <typename Tile>
struct Tiling : Tile {
  static constexpr int warps_down = Tile::rows / Tile::warp_rows;
  // per slice
  static constexpr int warps = warps_down * (Tile::cols / Tile::warp_cols);
  static constexpr int slice_threads = 32 * warps,
                       threads = slice_threads * Tile::slices;
  // The threads that copy. Each copies the same columns of several rows.
  static constexpr int copiers = std::bit_floor(static_cast<unsigned>(threads));
  // per warp
  static constexpr int down = Tile::warp_rows / 16,
                       across = Tile::warp_cols / 16;
  static constexpr int depth = Tile::depth, slice_depth = depth / Tile::slices;
  // per stage
  static constexpr int product = Tile::product,
                       products = slice_depth / product;
  static constexpr int stages = Tile::stages;
  static_assert(products % 2 == 0 && products * product == slice_depth &&
                depth % 16 == 0);

  static constexpr int b_begin = Tile::rows * depth,
                       stage = b_begin + depth * Tile::cols;
  static constexpr int sums = (Tile::slices - 1) * Tile::rows * Tile::cols;
  static constexpr int shared_bytes =
      (stages * stage > sums ? stages * stage : sums) *
      static_cast<int>(sizeof(double));

  // The places of the tiles' elements in a stage: pairs of neighbours in a
  // row, permuted so that eight neighbouring lanes read from different
  // banks.
  static constexpr int a_place(int row, int col) {
    return row * depth + (col ^ row % 2 * 8);
  }
  static constexpr int b_place(int row, int col) {
    return b_begin + row * Tile::cols + (col ^ row % 8 / 2 * 4);
  }
};

struct alignas(16) Pair {
  double element[2];
};

}  // namespace
