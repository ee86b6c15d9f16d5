// Times executions of a team of GPUs. All of them are held behind one
// gate until everything is queued; before each execution the GPUs meet,
// so that they start it together, to within a microsecond or two. Its
// time is that of the GPU that took longest.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "places/cuda/clocks.hpp"
#include "places/cuda/cuda_gpu.hpp"
#include "places/cuda/l2_flush.hpp"
#include "places/executor.hpp"

namespace parlab {

class TeamTimer {
 public:
  // limit_s: after the gate has opened, everything is to be done within this
  // time. abandon: ends what can be ended of what is under way.
  TeamTimer(std::vector<CudaGpu*> gpus,
            std::function<void()> abandon,
            double limit_s = 60);
  ~TeamTimer();

  // As in DeviceTimer. run() queues an execution on all GPUs, before()
  // and after() what surrounds it.
  struct Work {
    std::function<void()> run;
    std::function<void(int)> before = [](int) {};
    std::function<void()> after = [] {};
  };
  // Throws PointError(timed_out) when it does not end in time, and
  // PointError(implausible) when another stream is still at work
  // after the last execution.
  Batch time(const Work& work, int count, Cache cache);

  // Queues before() and run() while all GPUs are held back, for hold_s more,
  // and lets them go. Returns when they are idle.
  void run_held(const std::function<void()>& before,
                const std::function<void()>& run,
                double hold_s = 0);

  // Queued on all GPUs: none goes on before all have come to it.
  void meet();

  // Something runs there that could not be ended: the devices are lost to this
  // process, and whatever waits for one of them waits for good.
  bool hangs() const { return hangs_; }

 private:
  static constexpr int members_at_most = 16;
  // In host memory that every GPU reads and writes.
  struct Words {
    int open;       // written by the host
    int timed_out;  // by a GPU
    // by each: how often it has come to a meeting
    int arrived[members_at_most];
  };
  struct Member;
  class Closed;

  void close();
  void open() { reinterpret_cast<volatile int&>(words_->open) = 1; }
  void open_and_wait(const char* doing);
  bool idle_within(double seconds) const;

  std::vector<std::unique_ptr<Member>> members_;
  std::function<void()> abandon_;
  double limit_s_;
  std::unique_ptr<Words, CudaFreeHost> words_;
  int meetings_ = 0;
  bool hangs_ = false;
};

}  // namespace parlab
