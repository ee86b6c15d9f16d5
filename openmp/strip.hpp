// Packing strips of columns, for any matrix.
#pragma once

#include <cstdint>

namespace parlab {
namespace {

// To be called before `cols` elements at `row` are read, and then those of the
// rows below, `stride` elements apart. The hardware cannot predict rows that
// are far apart. So this strip is prefetched some rows ahead, and the adjacent
// next strip while the memory has this row open.
template <typename T>
void prefetch_strip(const T* row, std::int64_t stride, std::int64_t cols) {
  constexpr std::int64_t rows_ahead = 16;
  __builtin_prefetch(row + rows_ahead * stride);
  __builtin_prefetch(row + cols);
  __builtin_prefetch(row + 2 * cols - 1);
}

}  // namespace
}  // namespace parlab
