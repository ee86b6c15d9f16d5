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

  template <typename T, typename Out = int>
  static Args<T, Out> bind(const NamedArrays& arrays,
                           const std::int64_t* size) {
    return {arrays.get<const T>("x"), arrays.get<Out>("h"), size[0]};
  }

  template <typename T>
  static constexpr int bin_of(T x) {
    return static_cast<int>(x) & (bins - 1);
  }
};

}  // namespace parlab
