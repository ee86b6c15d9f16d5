// Times work on a stream with CUDA events, with the host's launch latency
// kept out: all executions, with an event on each side, are queued behind
// a gate before the first of them may start.
#pragma once

#include <functional>
#include <vector>

#include "core/types.hpp"
#include "places/cuda/clocks.hpp"
#include "places/cuda/cuda_resources.hpp"
#include "places/cuda/gate.hpp"
#include "places/cuda/l2_flush.hpp"
#include "places/executor.hpp"

namespace parlab {

// Executions in one batch, at the most.
constexpr int executions_at_most = 64;
// The caches are full of what ran before: it takes a few executions until
// they hold what this one keeps there.
constexpr int warm_ups = 4;

// The streams that are timed have ended: for how long was the current device
// busy afterwards, with something else of the variant? 0: it was idle.
double busy_after_s(double batch_s);
// Throws PointError(implausible).
[[noreturn]] void refuse_work_left(double seconds);

class DeviceTimer {
 public:
  explicit DeviceTimer(cudaStream_t stream);

  // What is timed, and what is queued on the same stream
  // around it, outside its time.
  struct Work {
    std::function<void()> run;
    // each execution, by its number
    std::function<void(int)> before = [](int) {};
    std::function<void()> after = [] {};  // the last one
  };
  // count timed executions (64 at most). Cold: L2 is overwritten before
  // each, its persisting lines are reset before the first; hot: a few untimed
  // executions come first. Throws PointError(implausible) when another
  // stream is still at work after the last one.
  Batch time(const Work& work, int count, Cache cache);
  Batch time(const std::function<void()>& run, int count, Cache cache) {
    return time(Work{run}, count, cache);
  }

  // Queues before() and run() while the stream is held back, for hold_s more
  // after run() returned, then lets both go: work that run() started on any
  // other stream will already have run. Returns when the device is idle.
  void run_held(const std::function<void()>& before,
                const std::function<void()>& run,
                double hold_s = 0);

 private:
  Batch time_once(const Work& work, int count, Cache cache, double& left_s);

  cudaStream_t stream_;
  int device_;
  Gate gate_;
  L2Flush l2_;
  std::vector<CudaEvent> events_;
  Clocks clocks_;
};

}  // namespace parlab
