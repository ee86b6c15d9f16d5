// Finds the best of several ways to do one thing on the device.
#pragma once

#include <functional>
#include <limits>
#include <string>

#include "places/cuda/gpu_timer.hpp"

namespace parlab {

class Contest {
 public:
  // thorough: tries again the ways that come near the best.
  Contest(GpuTimer& timer, bool thorough)
      : timer_(timer), thorough_(thorough) {}

  // run queues the work on the timer's stream. A roof is what can be reached,
  // not what is usual. So of several short batches the one with the lowest
  // median counts.
  void enter(const std::string& way, const std::function<void()>& run);

  double seconds() const { return seconds_; }
  const std::string& way() const { return way_; }

 private:
  GpuTimer& timer_;
  bool thorough_;
  double seconds_ = std::numeric_limits<double>::infinity();
  std::string way_;
};

}  // namespace parlab
