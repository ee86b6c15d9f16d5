// transpose: B = A^T.
#pragma once

#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct Transpose {
  // a: rows x cols, row-major. b: cols x rows, row-major, written whole:
  // element (col, row) of b is element (row, col) of a.
  template <typename T, typename Out = T>
  struct Args {
    const T* a;
    Out* b;
    std::int64_t rows, cols;
  };
  static constexpr const char* arrays[] = {"a", "b"};
};

}  // namespace parlab
