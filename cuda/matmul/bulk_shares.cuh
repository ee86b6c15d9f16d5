// The division of the tiles of `tensor_bulk` among blocks, and an estimate of
// its time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bulk_shapes.cuh"

using namespace parlab;

namespace {

// The division of the work. Tiles are numbered; the last numbers are those of
// the last column of tiles, which cost less if it has little of C. Each tile
// before first_tile is computed as a whole by one block, in turn. All steps of
// the others are numbered, and block b has those from first_step(b) on, so that
// all blocks have the same cost.
struct Shares {
  static constexpr int full = 16;  // the cost of a step of an inner tile

  int down, across;  // tiles
  int inner_across;  // tiles of full cost
  int first_tile, steps_of_tile, blocks;
  int inner_steps, last_steps, last_cost;  // of the shared tiles

  __host__ __device__ int tiles() const { return down * across; }
  __host__ __device__ bool any() const { return first_tile < tiles(); }
  __host__ __device__ std::int64_t cost_before(int step) const {
    const int inner = step < inner_steps ? step : inner_steps;
    return std::int64_t{inner} * full + std::int64_t{step - inner} * last_cost;
  }
  __host__ __device__ std::int64_t all_costs() const {
    return cost_before(inner_steps + last_steps);
  }

  __device__ int first_step(int block) const {
    const std::int64_t before = block * all_costs() / blocks,
                       inner = std::int64_t{inner_steps} * full;
    return static_cast<int>(before < inner
                                ? before / full
                                : inner_steps + (before - inner) / last_cost);
  }
  __device__ int block_of(int step) const {
    int block = static_cast<int>(cost_before(step) * blocks / all_costs());
    while (first_step(block) > step)
      --block;
    while (first_step(block + 1) <= step)
      ++block;
    return block;
  }
};

// A unit of a block's work: some steps of a tile, all or a part of them.
struct Piece {
  int tile, begin, steps;
};

// The pieces of this block: first those of shared tiles, so that their parts
// are stored when the others end, then whole tiles. A piece is computed again
// at each use, because the sums need the registers.
struct Pieces {
  int begin, end;  // of the shared steps
  int shared, count;

  __device__ __forceinline__ explicit Pieces(const Shares& shares)
      : begin(0), end(0), shared(0) {
    const int block = blockIdx.x, of_tile = shares.steps_of_tile;
    if (shares.any()) {
      begin = shares.first_step(block), end = shares.first_step(block + 1);
      if (begin < end) shared = (end - 1) / of_tile - begin / of_tile + 1;
    }
    const int left = shares.first_tile - block;
    count = shared + max(0, (left + shares.blocks - 1) / shares.blocks);
  }

  __device__ __forceinline__ Piece at(const Shares& shares, int i) const {
    const int block = blockIdx.x, of_tile = shares.steps_of_tile;
    if (i >= shared) return {block + (i - shared) * shares.blocks, 0, of_tile};
    const int tile = begin / of_tile + i, first = tile * of_tile,
              from = max(begin, first), to = min(end, first + of_tile);
    return {shares.first_tile + tile, from - first, to - from};
  }
};

template <typename S>
__device__ __forceinline__ void place_of_piece(const Shares& shares, int tile,
                                               int& row0, int& col0) {
  const int inner = shares.down * shares.inner_across;
  int row = tile - inner, col = shares.across - 1;
  if (tile < inner)
    place_of_tile<8>(tile, shares.down, shares.inner_across, row, col);
  row0 = row * S::rows, col0 = col * S::cols;
}

// The kernel for narrow tiles is used if its tiles need at most this share of
// the time of whole ones.
constexpr double of_narrow = 0.97;

// The time of all tiles, in units of a whole tile's.
double whole_tiles(const Shares& shares) {
  return ceil_div(shares.first_tile, shares.blocks) +
         static_cast<double>(shares.all_costs()) /
             (std::int64_t{Shares::full} * shares.steps_of_tile *
              shares.blocks);
}

// The cost of a step of a tile with `there` columns in C. The warps of every
// second 32 columns share two of the four units of a multiprocessor.
template <typename S>
int cost_of_columns(std::int64_t there) {
  constexpr int waiting = 2, warp = S::across;
  const auto groups = static_cast<int>(ceil_div(there, 16));
  const int of_units =
      std::min(groups, warp) + std::clamp(groups - 2 * warp, 0, warp);
  return std::min(Shares::full, Shares::full * of_units / (2 * warp) + waiting);
}

template <typename S>
Shares shares_of(Gpu& gpu, const Matmul::Args<double>& p) {
  const auto down = static_cast<int>(ceil_div(p.m, S::rows)),
             across = static_cast<int>(ceil_div(p.n, S::cols)),
             of_tile = static_cast<int>(ceil_div(p.k, S::depth));
  const int tiles = down * across;
  // so that a thread each finds the parts of a tile
  const int most = std::min(gpu.multiprocessors(), bulk_copier);
  const Shares whole{.down = down,
                     .across = across,
                     .inner_across = across,
                     .first_tile = tiles,
                     .steps_of_tile = of_tile,
                     .blocks = std::min(most, tiles),
                     .inner_steps = 0,
                     .last_steps = 0,
                     .last_cost = Shares::full};
  const auto shared_at = [&](int last_cost) {
    Shares shares = whole;
    shares.last_cost = last_cost;
    shares.blocks = most;
    if (last_cost < Shares::full) --shares.inner_across;
    const int inner = down * shares.inner_across;
    shares.first_tile = inner / most * most;
    shares.inner_steps = (inner - shares.first_tile) * of_tile;
    shares.last_steps = (tiles - inner) * of_tile;
    return shares;
  };
  const std::int64_t last_cols = p.n - std::int64_t{across - 1} * S::cols;
  const Shares alike = shared_at(Shares::full),
               narrow = shared_at(cost_of_columns<S>(last_cols));
  // The kernel for narrow tiles pays only beside many whole ones.
  const Shares& best =
      S::narrow && tiles >= most &&
              whole_tiles(narrow) < of_narrow * whole_tiles(alike)
          ? narrow
          : alike;

  const double saved = (whole_tiles(whole) - whole_tiles(best)) *
                       static_cast<double>(p.k) * S::rows * S::cols * S::share;
  return saved < S::sharing ? whole : best;
}

// As in tensor.cuh.
template <typename S>
double estimate_bulk(Gpu& gpu, const Matmul::Args<double>& p) {
  const Shares shares = shares_of<S>(gpu, p);
  return whole_tiles(shares) * S::rows * S::cols * S::share +
         (S::begin + (shares.any() ? S::sharing : 0)) /
             static_cast<double>(p.k);
}

}  // namespace
