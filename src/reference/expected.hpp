// How a reference says what is right.
#pragma once

#include <limits>

namespace parlab::reference {

// Of an element. Where nothing may be written the value is not a number.
struct Expected {
  double value, bound;
};
constexpr Expected kept{std::numeric_limits<double>::quiet_NaN(), 0};

}  // namespace parlab::reference
