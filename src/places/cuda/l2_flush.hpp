// Overwrites L2, so that nothing of what ran before is in it.
#pragma once

#include "places/cuda/cuda_resources.hpp"

namespace parlab {

class L2Flush {
 public:
  explicit L2Flush(int device) {
    int l2 = 0;
    cuda_check(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device),
               "asking for L2's size");
    bytes_ = 2 * static_cast<std::size_t>(l2);
    memory_ = device_memory(bytes_, "flushing L2");
  }
  // Lines that were made to persist are given up first: they would
  // survive what is written.
  void reset_persisting() { cudaCtxResetPersistingL2Cache(); }
  void queue(cudaStream_t stream) {
    cuda_check(cudaMemsetAsync(memory_.get(), 0, bytes_, stream),
               "flushing L2");
  }

 private:
  DeviceMemory memory_;
  std::size_t bytes_ = 0;
};

}  // namespace parlab
