// Times work on one or several GPUs with CUDA events, with the host's launch
// latency kept out: all executions, with an event on each side, are queued
// behind a gate before the first of them may start. The GPUs of a team meet
// before each execution, so that they start it together, to within a
// microsecond or two. Its time is that of the GPU that took longest.
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
  // Without patience: of one GPU.
  explicit GpuTimer(std::vector<CudaGpu*> gpus, Patience patience = {});
  ~GpuTimer();

  // The work that is timed, and work that is queued on the same streams
  // around it, outside its time.
  struct Work {
    std::function<void()> run;
    // each execution, by its number
    std::function<void(int)> before = [](int) {};
    std::function<void()> after = [] {};  // the last one
    // The caches are full of what ran before: it takes a few executions until
    // they hold what this one keeps there.
    int warm_ups = 4;
  };
  // count timed executions (64 at most). Cold: L2 is overwritten before
  // each, its persisting lines are reset before the first; hot: the
  // warm-ups come first, untimed. Throws what Gate::wait() throws, and
  // PointError(implausible) when another stream is still at work after the
  // last one.
  Batch time(const Work& work, int count, Cache cache);

  // Queues before() and run() while the streams are held back, for hold_s more
  // after run() returned, then lets both go: work that run() started on any
  // other stream will already have run. Returns when the devices are idle.
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
