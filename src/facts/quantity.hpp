// A number with its unit and, where it was measured, its interval. How it
// looks is decided in render/ alone.
#pragma once

#include <limits>
#include <optional>
#include <string_view>

namespace parlab {

struct Interval {
  double low = 0, high = std::numeric_limits<double>::infinity();
  bool holds(double value) const { return low <= value && value <= high; }
};

// Values are in SI base units. A fraction of 0.95 is shown as 95 %, a factor
// of 1.5 as 1.5 times.
enum class Unit {
  none,
  second,
  joule,
  watt,
  byte,
  byte_per_second,
  flop_per_second,
  operation_per_second,  // of integers
  flop_per_joule,
  fraction,
  factor
};
// As stored: "", "s", "J", "W", "B", "B/s", "flop/s", "op/s", "flop/J", "1",
// "x".
std::string_view to_string(Unit unit);
// throws std::invalid_argument
Unit unit_from_string(std::string_view text);

struct Quantity {
  double value = 0;
  Unit unit = Unit::none;
  // of 95 %; one without an upper end: there were too few samples
  std::optional<Interval> interval = {};
};

}  // namespace parlab
