// The clock rate of a device between two moments of a stream.
#pragma once

#include "places/cuda/cuda_resources.hpp"

namespace parlab {

class Clocks {
 public:
  // `device` must be current. Loads the kernel's code here, because its first
  // use would do it.
  Clocks(cudaStream_t stream, int device);

  // Queues a reading of the counters: moment 0, later moment 1. The device must
  // be current.
  void read(int moment);
  double hz() const;  // between the two, median over the multiprocessors
  // maximum clock of the device
  double highest_hz() const { return highest_hz_; }

 private:
  cudaStream_t stream_;
  int multiprocessors_ = 0;
  double highest_hz_ = 0;
  DeviceMemory memory_;
};

}  // namespace parlab
