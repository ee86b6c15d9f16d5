// The inner kernel of a product: a tile of the result in vector registers. It
// is two vectors wide and as many rows high as there are registers. Each step
// reads two vectors of b and, one by one, an element of each row of a; every
// vector read serves all rows, every element both vectors. (Goto and van de
// Geijn, Anatomy of high-performance matrix multiplication, 2008.)
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "host/vectors.hpp"

namespace parlab {
namespace {

#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int vector_registers = 32;
#else
constexpr int vector_registers = 16;
#endif

// Four registers hold two vectors of b and an element of a, with one to spare:
// the tile has 28 of 32, or 12 of 16.
template <typename T>
struct RegisterTile {
  static constexpr int lanes = vector_bytes / sizeof(T);
  static constexpr int vectors = 2;
  static constexpr int rows = vector_registers / vectors - 2;
  static constexpr int cols = vectors * lanes;
};

// The elements of as many whole vectors as `cols` elements need.
template <typename T>
constexpr std::int64_t whole_vectors(std::int64_t cols) {
  constexpr std::int64_t lanes = RegisterTile<T>::lanes;
  return (cols + lanes - 1) / lanes * lanes;
}

// Sets the tile at c, whose rows lie `stride` apart, to a b, or adds a b to it
// with `add`. a: `depth` columns of `rows` elements; b: `depth` rows of
// `vectors` vectors; both one after another.
template <typename T, int rows, int vectors>
void multiply_whole_tile(const T* a, const T* b, std::int64_t depth, T* c,
                         std::int64_t stride, bool add) {
  using Vector = typename VectorOf<T>::type;
  using Unaligned = typename VectorOf<T>::unaligned;

  // The tile comes from far away: it is prefetched now and needed at the end.
  for (int r = 0; r < rows; ++r) {
    const T* const row = c + r * stride;
    __builtin_prefetch(row, 1);
    __builtin_prefetch(row + vectors * RegisterTile<T>::lanes - 1, 1);
  }

  Vector sum[rows][vectors] = {};
#pragma GCC unroll 4
  for (std::int64_t k = 0; k < depth; ++k) {
    const auto* const row = reinterpret_cast<const Unaligned*>(b) + k * vectors;
    const Vector left = row[0], right = row[vectors - 1];
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      sum[r][0] += a[k * rows + r] * left;
      if (vectors == 2) sum[r][1] += a[k * rows + r] * right;
    }
  }

#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
    auto* const row = reinterpret_cast<Unaligned*>(c + r * stride);
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v)
      row[v] = add ? row[v] + sum[r][v] : sum[r][v];
  }
}

constexpr std::int64_t no_diagonal = std::numeric_limits<std::int32_t>::min();

// The same for a tile of any size up to RegisterTile's, as at the edges of the
// result. Each number of rows has its own kernel, so no missing row is
// computed. b has all elements of its vectors. In row r only columns from r +
// diagonal on are written.
template <typename T>
void multiply_tile(const T* a, const T* b, std::int64_t depth, T* c,
                   std::int64_t stride, std::int64_t rows, std::int64_t cols,
                   bool add, std::int64_t diagonal = no_diagonal) {
  using Tile = RegisterTile<T>;
  using Kernel =
      void (*)(const T*, const T*, std::int64_t, T*, std::int64_t, bool);
  static constexpr auto kernels =
      []<int... r>(std::integer_sequence<int, r...>) {
    return std::array<std::array<Kernel, Tile::vectors>, Tile::rows>{
        {{multiply_whole_tile<T, r + 1, 1>,
          multiply_whole_tile<T, r + 1, 2>}...}};
  }
  (std::make_integer_sequence<int, Tile::rows>());
  const auto width = whole_vectors<T>(cols);
  const Kernel multiply = kernels[rows - 1][width / Tile::lanes - 1];
  if (cols == width && rows - 1 + diagonal <= 0) {
    multiply(a, b, depth, c, stride, add);
    return;
  }

  T whole[Tile::rows * Tile::cols];
  multiply(a, b, depth, whole, Tile::cols, false);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (auto col = std::max<std::int64_t>(0, r + diagonal); col < cols;
         ++col) {
      const T value = whole[r * Tile::cols + col];
      c[r * stride + col] = add ? c[r * stride + col] + value : value;
    }
  }
}

}  // namespace
}  // namespace parlab
