// Copies of strips of A and B in the order in which multiply_tile reads them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../register_tile.hpp"
#include "../strip.hpp"
#include "../turn.hpp"

namespace parlab {
namespace {

// Packs the rows of a whole strip of A, as many columns as vectors can do;
// returns that number.
template <typename T>
std::int64_t pack_vectors(const T* a, std::int64_t stride, std::int64_t depth,
                          T* to) {
  using Vector = typename VectorOf<T>::type;
  using Unaligned = typename VectorOf<T>::unaligned;
  constexpr std::int64_t ahead = 256 / sizeof(T);
  constexpr int rows = RegisterTile<T>::rows, n = RegisterTile<T>::lanes;
  constexpr int groups = (rows + n - 1) / n;  // of rows, the last one partial
  std::int64_t k = 0;
  for (; k + 2 * n <= depth; k += n) {
    Vector part[groups * n] = {};
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const T* const from = a + r * stride + k;
      __builtin_prefetch(from + ahead);
      part[r] = *reinterpret_cast<const Unaligned*>(from);
    }
#pragma GCC unroll 8
    for (int group = 0; group < groups; ++group)
      transpose<T>(part + group * n);
      // A vector of the last group reaches into the next column, which is
      // written after it. The last column has no such room.
#pragma GCC unroll 16
    for (int column = 0; column < n; ++column) {
#pragma GCC unroll 8
      for (int group = 0; group < groups; ++group) {
        *reinterpret_cast<Unaligned*>(to + (k + column) * rows + group * n) =
            part[group * n + column];
      }
    }
  }
  return k;
}

// Packs `rows` rows of A, `depth` columns of them: one column after another.
template <typename T>
void pack_rows(const T* a, std::int64_t stride, std::int64_t rows,
               std::int64_t depth, T* to) {
  const bool whole = rows == RegisterTile<T>::rows;
  for (auto k = whole ? pack_vectors(a, stride, depth, to) : 0; k < depth;
       ++k) {
    for (std::int64_t r = 0; r < rows; ++r)
      to[k * rows + r] = a[r * stride + k];
  }
}

// Packs `cols` columns of B, `depth` rows of them: one row after another,
// filled up with zeros to whole vectors.
template <typename T>
void pack_cols(const T* b, std::int64_t stride, std::int64_t cols,
               std::int64_t depth, T* to) {
  const auto width = whole_vectors<T>(cols);
  for (std::int64_t k = 0; k < depth; ++k) {
    const T* const from = b + k * stride;
    prefetch_strip(from, stride, cols);
    if (cols == RegisterTile<T>::cols) {  // a constant for the compiler
      std::copy_n(from, RegisterTile<T>::cols, to + k * width);
    } else {
      std::copy_n(from, cols, to + k * width);
      std::fill(to + k * width + cols, to + (k + 1) * width, T{0});
    }
  }
}

}  // namespace
}  // namespace parlab
