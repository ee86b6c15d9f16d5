// convsep: a separable convolution, one filter along the rows and
// then along the columns.
#pragma once

#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct Convsep {
  static constexpr int max_radius = 64;
  static constexpr int max_taps = 2 * max_radius + 1;

  // a and b: rows x cols, row-major. w: 2 radius + 1 weights.
  //   t(i, j) = sum over k of w[k + radius] a(i, j + k)
  //   b(i, j) = sum over k of w[k + radius] t(i + k, j),  -radius <= k <=
  //   radius
  // Outside of the image a and t are 0. t is the variant's own, and so is
  // the order of the passes. a_padded, for those that ask for it: a with
  // `radius` columns of zeros left and right.
  template <typename T>
  struct Args {
    const T *a, *a_padded, *w;
    T* b;
    std::int64_t rows, cols;
    int radius;
  };
  static constexpr const char* arrays[] = {"a", "a_padded", "w", "b"};
};

}  // namespace parlab
