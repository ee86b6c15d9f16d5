// atax: y = A^T (A x), a matrix and its transpose times one vector.
#pragma once

#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct Atax {
  // a: rows x cols, row-major. x: cols elements. y: cols elements, written.
  // The vector between the two products, t = A x, is the variant's own.
  template <typename T, typename Out = T>
  struct Args {
    const T* a;
    const T* x;
    Out* y;
    std::int64_t rows, cols;
  };

  template <typename T, typename Out = T>
  static Args<T, Out> bind(const NamedArrays& arrays,
                           const std::int64_t* size) {
    return {arrays.get<const T>("a"), arrays.get<const T>("x"),
            arrays.get<Out>("y"), size[0], size[1]};
  }
};

}  // namespace parlab
