// Seconds by a clock that never goes back.
#pragma once

#include <chrono>

namespace parlab {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

// Returns the duration of the action.
template <typename Action>
double seconds_of(const Action& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return seconds_since(start);
}

}  // namespace parlab
