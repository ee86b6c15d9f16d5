// The choice of tiles for a product, by an estimate of the time of each shape.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "parts.cuh"
#include "warp_shapes.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

enum class TileSize { large, medium, small, tiny };
// parts: the blocks that share a tile.
struct TileChoice {
  TileSize size = TileSize::tiny;
  int parts = 1;
};

namespace {

// Whether C holds whole tiles of this shape.
template <typename S, typename T>
bool fits(const Matmul::Args<T>& p) {
  return p.m >= S::block_rows && p.n >= S::block_cols;
}

// Tiles down and across, if a single row or column is a fringe and if it has
// tiles of its own.
template <typename S>
struct TileGrid {
  std::int64_t down, across;
  bool fringe_row = false, fringe_col = false;

  template <typename T>
  TileGrid(const Matmul::Args<T>& p, bool fringes)
      : down(ceil_div(p.m, S::block_rows)),
        across(ceil_div(p.n, S::block_cols)) {
    if (!fringes) return;
    fringe_row = without_fringe(p.m, S::block_rows) < p.m;
    fringe_col = without_fringe(p.n, S::block_cols) < p.n;
    down -= fringe_row, across -= fringe_col;
  }
  std::int64_t tiles() const { return down * across; }
  // Roughly, the blocks that have a fringe.
  std::int64_t beside_fringe() const {
    return fringe_row * across + fringe_col * down;
  }
};

// The cost of sharing tiles: of each block of a multiprocessor, in columns of
// A, and once, in elements of C times columns.
constexpr double of_sharing = 80, of_any_sharing = 0.5e6;
// Rows of B that are not aligned: the time of copies by elements, relative to
// vectors. That of an aligned copy of B: for each of its elements, and once, in
// elements of C times columns.
constexpr double of_elements = 1.05, of_copying = 0.7, of_any_copying = 0.5e6;

// The time in units of an element of C. A round is as many blocks as a
// multiprocessor has at once. It takes longer by a warp's tile for each of the
// four schedulers, to account for waiting. One round takes as long as the
// multiprocessor with the most tiles; over many, blocks end one by one, and it
// evens out. As measured on an H200, from 512 to 8193; with less shared memory,
// fewer blocks run at once.
template <typename S, typename T>
double estimate(Gpu& gpu, const Matmul::Args<T>& p, bool fringes,
                int parts = 1) {
  constexpr double waiting = 4.0 * 32 / S::threads;
  const TileGrid<S> grid(p, fringes);
  const std::int64_t blocks = grid.tiles() * parts;
  const auto most = ceil_div(blocks, gpu.multiprocessors());
  const auto rounds = static_cast<double>(ceil_div(most, S::blocks_per_sm));
  const auto fringes_of_one =
      std::min(most, ceil_div(grid.beside_fringe(), gpu.multiprocessors()));
  const double longest = static_cast<double>(most) + rounds * waiting +
                         static_cast<double>(fringes_of_one) * S::fringe;
  const double work = static_cast<double>(blocks) +
                      static_cast<double>(grid.beside_fringe()) * S::fringe;
  const double mean =
      work / gpu.multiprocessors() * (1 + waiting / S::blocks_per_sm);
  constexpr double tile = S::block_rows * S::block_cols * S::share;
  const double sharing =
      parts == 1
          ? 0
          : of_sharing * static_cast<double>(most) * tile + of_any_sharing;
  return (mean + (longest - mean) * 2 / (rounds + 1)) / parts * tile +
         sharing / static_cast<double>(p.k);
}

template <typename S, typename T>
bool fringes_pay(Gpu& gpu, const Matmul::Args<T>& p) {
  return estimate<S>(gpu, p, true) <= estimate<S>(gpu, p, false);
}

// Whether copies and stores need no tests. fringes: a single row or column
// beyond whole tiles is a fringe.
template <typename S, typename T>
bool is_plain(const Matmul::Args<T>& p, bool fringes) {
  return p.n % S::vector == 0 && !TileGrid<S>(p, fringes).fringe_row;
}

template <typename T>
struct TileShapes {
  using Large = Tiling<T, LargeFloat>;
  using Medium = Tiling<T, MediumFloat>;
  using Small = Tiling<T, SmallFloat>;
  using Tiny = Tiling<T, TinyFloat>;
};
template <>
struct TileShapes<double> {
  using Large = Tiling<double, LargeDouble>;
  using Small = Tiling<double, SmallDouble>;
  using Medium = Small;
  using Tiny = Small;
};

// The tiles that take the least time by the estimate; the largest ones only if
// nearly every multiprocessor gets one. alone: no other product fills the
// device meanwhile, so that several blocks may share a tile.
template <typename T>
TileChoice best_tiles(Gpu& gpu, const Matmul::Args<T>& p, bool alone) {
  TileChoice best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&]<typename S>(S, TileSize size) {
    const int most = alone && S::slices > 1 ? most_parts(p.k, S::depth) : 1;
    const auto n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const bool aligned = p.n % S::vector == 0;
    for (int parts = 1; parts <= most; ++parts) {
      double time = estimate<S>(gpu, p, false, parts);
      if (parts == 1 && S::fringe > 0)
        time = std::min(time, estimate<S>(gpu, p, true));
      if (!aligned && size != TileSize::medium) time *= of_elements;
      if (!aligned && size == TileSize::medium)
        time += of_copying * n + of_any_copying / k;
      if (time < least) least = time, best = {size, parts};
    }
  };
  using Shapes = TileShapes<T>;
  using Large = typename Shapes::Large;
  using Small = typename Shapes::Small;
  using Medium = typename Shapes::Medium;
  if (fits<Large>(p) && static_cast<double>(TileGrid<Large>(p, true).tiles()) >=
                            0.9 * gpu.multiprocessors())
    consider(Large(), TileSize::large);
  if (fits<Small>(p)) consider(Small(), TileSize::small);
  consider(typename Shapes::Tiny(), TileSize::tiny);
  if (fits<Medium>(p) && (alone || p.n % Medium::vector == 0))
    consider(Medium(), TileSize::medium);
  return best;
}

}  // namespace
