// heat: steps of a 5-point stencil on a grid whose border is fixed.
#pragma once

#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct Heat {
  // a and b: rows x cols, row-major. a is the grid at first, b after `steps`
  // steps. In a step each point that has four neighbours becomes
  //   half of itself + an eighth of (north + south + west + east),
  // all of them as they were before the step; the sums in any order. The border
  // keeps its values. All of b is written.
  template <typename T, typename Out = T>
  struct Args {
    const T* a;
    Out* b;
    std::int64_t rows, cols, steps;
  };
  static constexpr const char* arrays[] = {"a", "b"};
};

}  // namespace parlab
