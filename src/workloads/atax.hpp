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
  static constexpr const char* arrays[] = {"a", "x", "y"};
};

}  // namespace parlab
