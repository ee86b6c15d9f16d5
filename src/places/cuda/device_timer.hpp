// Times work on a stream with CUDA events, with the host's launch latency kept out.
//
// A kernel that waits for the host's word is queued first, then all executions with an event on
// each side, and only then the word is given: the device never waits for the host in between.
// (The method of NVIDIA's nvbench.)
#pragma once

#include <functional>
#include <vector>

#include "core/types.hpp"
#include "places/cuda/cuda_resources.hpp"
#include "places/executor.hpp"

namespace parlab {

class DeviceTimer {
 public:
  explicit DeviceTimer(cudaStream_t stream);

  // count timed executions (64 at most) of run, which only queues work on the stream. Cold: L2 is
  // overwritten before each, its persisting lines are reset before the first; hot: a few
  // untimed executions come first.
  Batch time(const std::function<void()>& run, int count, Cache cache);

  // Queues before() and run() while the stream is held back, for hold_s more after run() returned,
  // then lets both go: work that run() started on any other stream will already have run. Returns
  // when the device is idle.
  void run_held(const std::function<void()>& before, const std::function<void()>& run,
                double hold_s = 0);

 private:
  struct Gate {
    int open;       // written by the host
    int timed_out;  // written by the device
  };
  void close_gate();
  void open_gate_and_wait(const char* doing);
  void read_clocks(int slot);
  double clock_hz() const;  // between the two readings, median over the multiprocessors
  void flush();

  cudaStream_t stream_;
  std::unique_ptr<Gate, CudaFreeHost> gate_;
  std::vector<CudaEvent> events_;
  DeviceMemory flush_memory_, clock_memory_;
  std::size_t flush_bytes_ = 0;
  int multiprocessors_ = 0;
  double highest_hz_ = 0;
};

}  // namespace parlab
