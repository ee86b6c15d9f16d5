// The clock that a device ran at between two moments of a stream.
#pragma once

#include "places/cuda/cuda_resources.hpp"

namespace parlab {

class Clocks {
 public:
  // device is the current one. The first use of a kernel loads its
  // code: it is done here.
  Clocks(cudaStream_t stream, int device);

  // Queues reading them: moment 0, later moment 1. The
  // device is the current one.
  void read(int moment);
  double hz() const;  // between the two, median over the multiprocessors
  double highest_hz() const { return highest_hz_; }  // that the device may have

 private:
  cudaStream_t stream_;
  int multiprocessors_ = 0;
  double highest_hz_ = 0;
  DeviceMemory memory_;
};

}  // namespace parlab
