// How a reference says what is right.
#pragma once

#include <limits>

namespace parlab::reference {

// The right value of an element, and how far a result may lie from it. The
// value is not a number where nothing may be written.
struct Expected {
  double value, bound;
};
constexpr Expected kept{std::numeric_limits<double>::quiet_NaN(), 0};

}  // namespace parlab::reference
