// A number with its unit and, if it was measured, its interval. Only render/
// decides how it is shown.
#pragma once

#include <limits>
#include <optional>

#include "core/enum_names.hpp"

namespace parlab {

struct Interval {
  double low = 0, high = std::numeric_limits<double>::infinity();
  bool holds(double value) const { return low <= value && value <= high; }
  bool operator==(const Interval&) const = default;
};

// Values are in SI base units. A fraction of 0.95 is shown as 95 %, a factor
// of 1.5 as 1.5 times.
PARLAB_ENUM(Unit, "unit", (none, ""), (second, "s"), (joule, "J"), (watt, "W"),
            (byte, "B"), (byte_per_second, "B/s"), (flop_per_second, "flop/s"),
            (operation_per_second, "op/s"),  // of integers
            (flop_per_joule, "flop/J"), (fraction, "1"), (factor, "x"))

struct Quantity {
  double value = 0;
  Unit unit = Unit::none;
  // the 95 % interval; without an upper end if there were too few samples
  std::optional<Interval> interval = {};
  double like = 0;  // shown with the prefix of this value; 0: of its own

  bool operator==(const Quantity&) const = default;
};
// Makes a quantity from a number of any type.
template <typename T>
constexpr Quantity quantity(T value, Unit unit) {
  return {.value = static_cast<double>(value), .unit = unit};
}

}  // namespace parlab
