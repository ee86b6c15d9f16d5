// vector_sum: sum = x[0] + x[1] + ... + x[n - 1].
#pragma once

#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct VectorSum {
  // x: n elements, aligned to 16 bytes. ones: n ones, for libraries that
  // offer a dot product and no sum; present only for variants that declare
  // it as a layout. sum: one element, written.
  template <typename T, typename Out = T>
  struct Args {
    const T* x;
    const T* ones;
    Out* sum;
    std::int64_t n;
  };
  static constexpr const char* arrays[] = {"x", "ones", "sum"};
};

}  // namespace parlab
