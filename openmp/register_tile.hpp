// A tile of a product in vector registers: two vectors wide and as many rows
// high as there are registers. What `blocked` of matmul and of covariance
// have in common. (Goto and van de Geijn, Anatomy of high-performance
// matrix multiplication, 2008: the inner kernel.)
#pragma once

#include <algorithm>
#include <cstdint>

namespace parlab {
namespace {

#ifdef __AVX512F__
// 28 of 32 registers hold the tile
constexpr int vector_bytes = 64, tile_rows = 14;
#else
constexpr int vector_bytes = 32, tile_rows = 6;  // 12 of 16
#endif

template <typename T>
struct RegisterTile {
  typedef T Vector __attribute__((vector_size(vector_bytes)));

  // The same for memory that is aligned to its elements only.
  typedef T Loose __attribute__((vector_size(vector_bytes), aligned(alignof(T)),
                                 may_alias));
  static constexpr int lanes = vector_bytes / sizeof(T);
  static constexpr int rows = tile_rows, cols = 2 * lanes;
};

// The tile at c, rows of which lie `stride` apart, becomes (or, with add,
// grows by) a b. a: depth columns of the tile's rows, b: depth rows of its
// columns, one after another. Only the elements [0, rows) x [0, cols) of
// the tile exist; more than it has: all do.
template <typename T>
void multiply_tile(const T* a, const T* b, std::int64_t depth, T* c,
                   std::int64_t stride, std::int64_t rows, std::int64_t cols,
                   bool add) {
  using Tile = RegisterTile<T>;
  typename Tile::Vector sum[Tile::rows][2] = {};
  for (std::int64_t k = 0; k < depth; ++k) {
    const auto* vectors =
        reinterpret_cast<const typename Tile::Loose*>(b + k * Tile::cols);
    const typename Tile::Vector left = vectors[0], right = vectors[1];
#pragma GCC unroll 16
    for (int r = 0; r < Tile::rows; ++r) {
      sum[r][0] += a[k * Tile::rows + r] * left;
      sum[r][1] += a[k * Tile::rows + r] * right;
    }
  }

  if (rows >= Tile::rows && cols >= Tile::cols) {
#pragma GCC unroll 16
    for (int r = 0; r < Tile::rows; ++r) {
      auto* to = reinterpret_cast<typename Tile::Loose*>(c + r * stride);
      to[0] = add ? to[0] + sum[r][0] : sum[r][0];
      to[1] = add ? to[1] + sum[r][1] : sum[r][1];
    }
  } else {
    for (std::int64_t r = 0; r < std::min<std::int64_t>(rows, Tile::rows);
         ++r) {
      for (std::int64_t col = 0; col < std::min<std::int64_t>(cols, Tile::cols);
           ++col) {
        const T value = sum[r][col / Tile::lanes][col % Tile::lanes];
        c[r * stride + col] = add ? c[r * stride + col] + value : value;
      }
    }
  }
}

}  // namespace
}  // namespace parlab
