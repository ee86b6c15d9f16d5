// A product of packed strips, by all threads together. The matrices are cut
// along the depth into blocks. For each block the threads pack strips of both
// operands, meet, and multiply.
//
// - Tiles are numbered in the order in which one thread computes them best: a
//   strip of b, which stays in the L1 cache, by a band of strips of a, which
//   stay in the L2 cache; then the next strip of b; then the next band. A
//   thread takes a long range of consecutive numbers, and shorter ones towards
//   the end: whatever the shape, all finish within a tile's time.
// - Strips that several threads need are packed once, into a panel for all.
//   One meeting per block is enough, since there are two panels: while the
//   last threads multiply out of one, the first fill the other. A third block
//   can begin only when all have left the first.
// - A thread packs strips that only it needs when it comes to them, and they
//   never leave its caches: strips of b if a is a single band, because it has
//   few rows; strips of a if each thread has bands of its own, because there
//   are many rows.
#pragma once

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "host/host.hpp"
#include "register_tile.hpp"

namespace parlab {
namespace {

// Bytes of a row of a strip. In longer strips the tiles of the result are
// loaded and stored less often; but one strip of b (two vectors wide) has to
// leave room in the L1 cache: 24 of 32 KiB with AVX2, 48 with AVX-512, where it
// comes from the L2 cache fast enough.
constexpr std::int64_t deep_bytes = 3072;

// The size of a band: half of a core's L2 cache, or half of a small one if its
// size is unknown.
inline std::int64_t band_bytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const auto cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (cache > 0) return cache / 2;
#endif
  return 128 << 10;
}

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// c (m x n) = a (m x k) times b (k x n); for a triangle only the elements on
// the diagonal and right of it.
struct ProductShape {
  std::int64_t m, k, n;
  bool triangle = false;
};

// How a product is cut.
template <typename T>
struct Cut {
  using Tile = RegisterTile<T>;
  std::int64_t blocks, depth;       // along k
  std::int64_t strips_a, strips_b;  // one tile wide each
  std::int64_t band;                // strips of a in a band
  bool triangle;
  bool own_a, own_b;  // each thread packs what it multiplies

  Cut(const ProductShape& shape, int threads)
      : blocks(divide_up(shape.k, deep_bytes / sizeof(T))),
        depth(divide_up(shape.k, blocks)),
        strips_a(divide_up(shape.m, Tile::rows)),
        strips_b(divide_up(shape.n, Tile::cols)),
        triangle(shape.triangle) {
    // A thread multiplies pieces about as wide as high, so that it reads
    // little, and no higher than its cache holds.
    const auto tiles = static_cast<double>(strips_a * strips_b);
    const auto square = static_cast<std::int64_t>(
        std::sqrt(tiles / threads * Tile::cols / Tile::rows));
    const auto most = band_bytes() / (Tile::rows * depth * sizeof(T));
    band = std::max<std::int64_t>(1, std::min<std::int64_t>(square, most));
    const auto bands = divide_up(strips_a, band);
    band = divide_up(strips_a, bands);
    own_b = bands == 1;
    own_a = !own_b && bands >= threads;
  }

  // The first strip of b that meets the band beginning with strip `top`.
  std::int64_t first_strip(std::int64_t top) const {
    return triangle ? top * Tile::rows / Tile::cols : 0;
  }
  // Tiles of a band. In a triangle, a few of them are left of the diagonal.
  std::int64_t tiles_of_band(std::int64_t top) const {
    return std::min(band, strips_a - top) * (strips_b - first_strip(top));
  }
  std::int64_t tiles() const {
    std::int64_t count = 0;
    for (std::int64_t top = 0; top < strips_a; top += band)
      count += tiles_of_band(top);
    return count;
  }
};

// Goes through the tiles by number: to the next one, or to any.
template <typename T>
class Walk {
 public:
  explicit Walk(const Cut<T>& cut) : cut_(cut) {}
  std::int64_t row() const { return strip_a_ * RegisterTile<T>::rows; }
  std::int64_t col() const { return strip_b_ * RegisterTile<T>::cols; }
  std::int64_t top_row() const { return top_ * RegisterTile<T>::rows; }
  // Whether these strips are new since the walk jumped or the band began.
  bool new_a() const { return steps_ < bottom_ - top_; }
  bool new_b() const { return steps_ == 0 || strip_a_ == top_; }

  void go_to(std::int64_t tile) {
    steps_ = tile == tile_ + 1 ? steps_ + 1 : 0;
    if (steps_ > 0 && strip_a_ + 1 < bottom_) {
      ++strip_a_;
    } else {
      if (tile <= tile_) first_ = top_ = 0;
      while (tile - first_ >= cut_.tiles_of_band(top_)) {
        first_ += cut_.tiles_of_band(top_);
        top_ += cut_.band;
        steps_ = 0;
      }
      bottom_ = std::min(top_ + cut_.band, cut_.strips_a);
      const auto in_band = tile - first_, high = bottom_ - top_;
      strip_a_ = top_ + in_band % high;
      strip_b_ = cut_.first_strip(top_) + in_band / high;
    }
    tile_ = tile;
  }

 private:
  const Cut<T>& cut_;
  std::int64_t tile_ = -2, strip_a_ = 0, strip_b_ = 0;
  std::int64_t first_ = 0;             // first tile of the band
  std::int64_t top_ = 0, bottom_ = 0;  // the band's strips
  std::int64_t steps_ = 0;             // in this band, without a jump
};

// pack_a and pack_b(first, count, k0, depth, to): pack `count` rows of a, or
// columns of b, from `first` on and `depth` deep, as multiply_tile reads them.
// finish(row, col, rows, cols): called when a tile has its last value.
template <typename T, typename PackA, typename PackB, typename Finish>
void multiply_panels(Host& host, const ProductShape& shape, T* c, int threads,
                     PackA pack_a, PackB pack_b, Finish finish) {
  using Tile = RegisterTile<T>;
  const Cut<T> cut(shape, threads);
  const auto tiles = cut.tiles();
  const auto strip_a = Tile::rows * cut.depth, strip_b = Tile::cols * cut.depth;
  const auto panel_a = strip_a * (cut.own_a ? cut.band : cut.strips_a),
             panel_b = strip_b * (cut.own_b ? 1 : cut.strips_b);
  const auto panels = std::min<std::int64_t>(2, cut.blocks);
  T* const all_a = host.scratch<T>(panel_a * (cut.own_a ? threads : panels));
  T* const all_b = host.scratch<T>(panel_b * (cut.own_b ? threads : panels));

#pragma omp parallel num_threads(threads)
  for (std::int64_t block = 0; block < cut.blocks; ++block) {
    const auto k0 = block * cut.depth,
               depth = std::min(cut.depth, shape.k - k0);
    const std::int64_t thread = omp_get_thread_num(), turn = block % 2;
    T* const a = all_a + panel_a * (cut.own_a ? thread : turn);
    T* const b = all_b + panel_b * (cut.own_b ? thread : turn);
    const auto rows_at = [&](std::int64_t row) {
      return std::min<std::int64_t>(Tile::rows, shape.m - row);
    };
    const auto cols_at = [&](std::int64_t col) {
      return std::min<std::int64_t>(Tile::cols, shape.n - col);
    };
    if (!cut.own_b) {
#pragma omp for schedule(dynamic) nowait
      for (std::int64_t col = 0; col < shape.n; col += Tile::cols)
        pack_b(col, cols_at(col), k0, depth, b + col * depth);
    }
    if (!cut.own_a) {
#pragma omp for schedule(dynamic) nowait
      for (std::int64_t row = 0; row < shape.m; row += Tile::rows)
        pack_a(row, rows_at(row), k0, depth, a + row * depth);
    }
#pragma omp barrier

    Walk<T> walk(cut);
#pragma omp for schedule(guided) nowait
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      walk.go_to(tile);
      const auto row = walk.row(), col = walk.col();
      const auto rows = rows_at(row), cols = cols_at(col);
      T* const of_a = a + depth * (cut.own_a ? row - walk.top_row() : row);
      T* const of_b = b + depth * (cut.own_b ? 0 : col);
      if (cut.own_a && walk.new_a()) pack_a(row, rows, k0, depth, of_a);
      if (cut.own_b && walk.new_b()) pack_b(col, cols, k0, depth, of_b);
      if (shape.triangle && col + cols <= row) continue;
      multiply_tile(of_a, of_b, depth, c + row * shape.n + col, shape.n, rows,
                    cols, block > 0, shape.triangle ? row - col : no_diagonal);
      if (block + 1 == cut.blocks) finish(row, col, rows, cols);
    }
  }
}

}  // namespace
}  // namespace parlab
