// scan: y[i] = x[0] + ... + x[i], the inclusive prefix sum.
#pragma once

#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct Scan {
  // x: n elements. y: n elements, written whole; the sums in any order.
  template <typename T, typename Out = T>
  struct Args {
    const T* x;
    Out* y;
    std::int64_t n;
  };
  static constexpr const char* arrays[] = {"x", "y"};
};

}  // namespace parlab
