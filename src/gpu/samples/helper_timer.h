// Replaces the header of this name in NVIDIA's samples: a clock of the host.
// Rewritten from scratch.
#pragma once
#include <chrono>

struct StopWatchInterface {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin{};
  float ms = 0;
  int sessions = 0;
};
inline bool sdkCreateTimer(StopWatchInterface** timer) {
  *timer = new StopWatchInterface;
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
  delete *timer;
  *timer = nullptr;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) {
  (*timer)->begin = StopWatchInterface::Clock::now();
  return true;
}
inline bool sdkStopTimer(StopWatchInterface** timer) {
  const std::chrono::duration<float, std::milli> took =
      StopWatchInterface::Clock::now() - (*timer)->begin;
  (*timer)->ms += took.count();
  ++(*timer)->sessions;
  return true;
}
inline bool sdkResetTimer(StopWatchInterface** timer) {
  **timer = {};
  return true;
}
inline float sdkGetTimerValue(StopWatchInterface** timer) {
  return (*timer)->ms;
}
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) {
  const int n = (*timer)->sessions;
  return n > 0 ? (*timer)->ms / static_cast<float>(n) : 0;
}
