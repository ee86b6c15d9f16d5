// A strip of columns is packed alike, whatever the matrix.
#pragma once

#include <cstdint>

namespace parlab {
namespace {

// Before `cols` elements at `row` are read, and then those of the rows below,
// `stride` elements apart. The hardware does not foresee rows that are far
// apart: this strip is asked for some rows ahead, and the next one, which
// lies beside it, while the memory has this row open.
template <typename T>
void prefetch_strip(const T* row, std::int64_t stride, std::int64_t cols) {
  constexpr std::int64_t rows_ahead = 16;
  __builtin_prefetch(row + rows_ahead * stride);
  __builtin_prefetch(row + cols);
  __builtin_prefetch(row + 2 * cols - 1);
}

}  // namespace
}  // namespace parlab
