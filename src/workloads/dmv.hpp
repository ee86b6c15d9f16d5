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

  template <typename T, typename Out = T>
  static Args<T, Out> bind(const NamedArrays& arrays,
                           const std::int64_t* size) {
    return {arrays.get<const T>("a"),
            arrays.get<const T>("a_transposed"),
            arrays.get<const T>("x"),
            arrays.get<Out>("y"),
            size[0],
            size[1]};
  }
};

}  // namespace parlab
