// conv2d: a 3x3 convolution with fixed weights (PolyBench's 2DCONV).
#pragma once

#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct Conv2d {
  // a and b: rows x cols, row-major. Each interior point of b, which has
  // all eight neighbours, is written: the sum over them and itself of
  // weight * a. The border of b must not be written.
  template <typename T, typename Out = T>
  struct Args {
    const T* a;
    Out* b;
    std::int64_t rows, cols;
  };
  static constexpr const char* arrays[] = {"a", "b"};

  // The weight of the element `down` rows below and `across` columns to
  // the right, each -1, 0 or 1. The weights are decimal fractions, rounded
  // to the nearest T.
  template <typename T>
  static constexpr T weight(int down, int across) {
    constexpr double table[3][3] = {
        {0.2, 0.5, -0.8}, {-0.3, 0.6, -0.9}, {0.4, 0.7, 0.1}};
    return static_cast<T>(table[down + 1][across + 1]);
  }
};

}  // namespace parlab
