// How the variants with several launches scan more than a block can: blocks
// scan their tiles, the sums of the tiles are scanned in the same way, and the
// sum of all tiles before it is added to each tile.
#pragma once

#include <algorithm>

#include "gpu/gpu.hpp"
#include "workloads/scan.hpp"

using namespace parlab;

namespace {

constexpr int adding_block = 256;

// sums: each one over all tiles so far. Block i has part of tile i + 1.
template <typename T>
__global__ void scan_add(T* y, const T* sums, std::int64_t n,
                         std::int64_t tile) {
  const T sum = sums[blockIdx.x];
  const std::int64_t first = (blockIdx.x + std::int64_t{1}) * tile;
  const std::int64_t last = min(first + tile, n);
  for (std::int64_t i = first + threadIdx.x; i < last; i += blockDim.x)
    y[i] += sum;
}

// scan_tiles(x, y, sums, n, tiles) starts a block per tile. The block writes
// the prefix sums of its tile to y, and the last of them to sums, if there are
// any. x and y may be the same.
template <typename T, typename F>
void scan_levels(Gpu& gpu, const T* x, T* y, std::int64_t n, std::int64_t tile,
                 F scan_tiles) {
  const auto tiles = ceil_div(n, tile);
  T* sums = tiles > 1 ? gpu.scratch<T>(tiles) : nullptr;
  scan_tiles(x, y, sums, n, tiles);
  if (tiles == 1) return;
  scan_levels(gpu, static_cast<const T*>(sums), sums, tiles, tile, scan_tiles);
  gpu.launch({.grid = {tiles - 1}, .block = {adding_block}}, scan_add<T>, y,
             static_cast<const T*>(sums), n, tile);
}

}  // namespace
