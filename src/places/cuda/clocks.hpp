// The clock that a device ran at between two moments of a stream.
#pragma once

#include <string>

#include "places/cuda/cuda_resources.hpp"

namespace parlab {

class Clocks {
 public:
  // device is the current one. The first use of a kernel loads its code: it is done here.
  Clocks(cudaStream_t stream, int device);

  // Queues reading them: moment 0, later moment 1. The device is the current one.
  void read(int moment);
  double hz() const;  // between the two, median over the multiprocessors
  // "the device ran at 620 MHz of 1980": it was throttled, or idle; empty: it was not.
  std::string complaint(double measured_hz) const;

 private:
  cudaStream_t stream_;
  int multiprocessors_ = 0;
  double highest_hz_ = 0;
  DeviceMemory memory_;
};

}  // namespace parlab
