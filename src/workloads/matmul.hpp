// matmul: C = A B, the product of two dense matrices; of half and
// bfloat16 it is a float.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/register.hpp"

namespace parlab {

struct Matmul {
  // The type of sums and results.
  template <typename T>
  using Result = std::conditional_t<
      dtype_of<T>() == Dtype::f16 || dtype_of<T>() == Dtype::bf16, float, T>;

  // All row-major: a is m x k, b is k x n, c is m x n and written whole.
  template <typename T>
  struct Args {
    const T* a;
    const T* b;
    Result<T>* c;
    std::int64_t m, k, n;
  };
  static constexpr const char* arrays[] = {"a", "b", "c"};
};

}  // namespace parlab
