// softmax: each row of a, as exp(a - max a) over the sum of the same.
#pragma once

#include <cstdint>

#include "core/register.hpp"

namespace parlab {

struct Softmax {
  // a and b: rows x cols, row-major. b is written whole.
  template <typename T, typename Out = T>
  struct Args {
    const T* a;
    Out* b;
    std::int64_t rows, cols;
  };
  static constexpr const char* arrays[] = {"a", "b"};
};

}  // namespace parlab
