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

  template <typename T, typename Out = T>
  static Args<T, Out> bind(const NamedArrays& arrays,
                           const std::int64_t* size) {
    return {arrays.get<const T>("a"), arrays.get<Out>("b"), size[0], size[1]};
  }
};

}  // namespace parlab
