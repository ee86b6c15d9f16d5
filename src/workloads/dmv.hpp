// dmv: y = A x, the dense matrix-vector product.
#pragma once

#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct Dmv {
  // a: rows x cols, row-major. a_transposed: the same matrix as cols x rows,
  // row-major; present only for variants that declare the layout. x: cols
  // elements. y: rows elements, written.
  template <typename T, typename Out = T>
  struct Args {
    const T* a;
    const T* a_transposed;
    const T* x;
    Out* y;
    std::int64_t rows, cols;
  };
  static constexpr const char* arrays[] = {"a", "a_transposed", "x", "y"};
};

}  // namespace parlab
