// Times work on one or several GPUs with CUDA events. To exclude the host's
// launch latency, all executions, with an event on each side, are queued behind
// a gate before the first may start. The GPUs of a team meet before each
// execution, so that they start within a microsecond or two of each other. The
// time of an execution is that of the slowest GPU.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/types.hpp"
#include "places/cuda/gate.hpp"
#include "places/executor.hpp"

namespace parlab {

class GpuTimer {
 public:
  // A single GPU needs no patience.
  explicit GpuTimer(std::vector<CudaGpu*> gpus, Patience patience = {});
  ~GpuTimer();

  // The work that is timed, and work queued around it on the same streams
  // outside the timed window.
  struct Work {
    std::function<void()> run;
    // called for each execution with its number
    std::function<void(int)> before = [](int) {};
    std::function<void()> after = [] {};  // called after the last execution
    // The caches are full of earlier data. It takes a few executions until they
    // hold what this one keeps there.
    int warm_ups = 4;
  };
  // Times `count` executions (64 at most). Cold: L2 is overwritten before each,
  // and its persisting lines are reset before the first. Hot: untimed warm-ups
  // come first. Throws what Gate::wait() throws, and PointError(implausible)
  // when another stream is still at work after the last execution.
  Batch time(const Work& work, int count, Cache cache);

  // Queues before() and run() while the streams are held back, and holds them
  // for hold_s more after run() returned. Any work that run() started on
  // another stream will then have run already. Returns when the devices are
  // idle.
  void run_held(const std::function<void()>& before,
                const std::function<void()>& run, double hold_s = 0);

  // See Gate.
  void wait(const char* doing) { gate_.wait(doing); }
  void meet() { gate_.meet(); }
  bool hangs() const { return gate_.hangs(); }

 private:
  struct Member;
  template <typename F>
  void each(F f);
  Batch time_once(const Work& work, int count, Cache cache, double& left_s);

  std::vector<std::unique_ptr<Member>> members_;
  Gate gate_;
};

}  // namespace parlab
