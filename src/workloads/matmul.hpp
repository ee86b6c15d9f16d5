// matmul: C = A B, the product of two dense matrices.
#pragma once

#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct Matmul {
  // All row-major: a is m x k, b is k x n, c is m x n and written whole.
  template <typename T>
  struct Args {
    const T* a;
    const T* b;
    T* c;
    std::int64_t m, k, n;
  };

  template <typename T>
  static Args<T> bind(const Arrays& arrays, const Size& size) {
    return {arrays.get<const T>("a"),
            arrays.get<const T>("b"),
            arrays.get<T>("c"),
            size[0],
            size[1],
            size[2]};
  }
};

}  // namespace parlab
