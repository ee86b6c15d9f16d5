// histogram: how many of n numbers have each value of their lowest byte.
#pragma once

#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct Histogram {
  static constexpr int bins = 256;

  // x: n elements. h: 256 counts, written whole: h[b] is how many elements have
  // bin_of(x[i]) == b.
  template <typename T, typename Out = int>
  struct Args {
    const T* x;
    Out* h;
    std::int64_t n;
  };
  static constexpr const char* arrays[] = {"x", "h"};

  template <typename T>
  static constexpr int bin_of(T x) {
    return static_cast<int>(x) & (bins - 1);
  }
};

}  // namespace parlab
