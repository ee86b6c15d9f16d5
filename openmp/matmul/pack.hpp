// Copies of strips of A and B in the order in which multiply_tile reads them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../register_tile.hpp"

namespace parlab {
namespace {

// `rows` rows of A, `depth` columns of them: one column after another. A cache
// line of each row at a time: all of it is used before the next one is read.
template <typename T>
void pack_rows(const T* a, std::int64_t stride, std::int64_t rows,
               std::int64_t depth, T* to) {
  constexpr std::int64_t line = 64 / sizeof(T);
  for (std::int64_t first = 0; first < depth; first += line) {
    const auto end = std::min(first + line, depth);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (auto k = first; k < end; ++k)
        to[k * rows + r] = a[r * stride + k];
    }
  }
}

// `cols` columns of B, `depth` rows of them: one row after another, filled up
// with zeros to whole vectors. Rows lie far apart, so the hardware does not
// foresee the next one.
template <typename T>
void pack_cols(const T* b, std::int64_t stride, std::int64_t cols,
               std::int64_t depth, T* to) {
  constexpr std::int64_t ahead = 8;
  const auto width = whole_vectors<T>(cols);
  for (std::int64_t k = 0; k < depth; ++k) {
    const T* const from = b + k * stride;
    __builtin_prefetch(from + ahead * stride);
    __builtin_prefetch(from + ahead * stride + cols - 1);
    if (cols == RegisterTile<T>::cols) {  // known to the compiler
      std::copy_n(from, RegisterTile<T>::cols, to + k * width);
    } else {
      std::copy_n(from, cols, to + k * width);
      std::fill(to + k * width + cols, to + (k + 1) * width, T{0});
    }
  }
}

}  // namespace
}  // namespace parlab
