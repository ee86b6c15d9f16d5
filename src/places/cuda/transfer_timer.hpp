// Times the copies of a problem's arrays to one GPU and back, from and to
// pageable and pinned memory.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "places/cuda/placement.hpp"

namespace parlab {

class TransferTimer {
 public:
  explicit TransferTimer(CudaGpu& gpu) : gpu_(gpu) {}

  // Times for the arrays that the variant reads and writes. Each array is timed
  // once, because its copy takes as long for all variants. inputs, outputs: in
  // host memory.
  TransferTimes times(const Variant& variant, Placement& placed,
                      const Arrays& inputs, const Arrays& outputs);

 private:
  struct Staging;
  double pinned_seconds(std::size_t bytes, bool to_device);

  CudaGpu& gpu_;
  std::shared_ptr<Staging> staging_;
  // by size in bytes, and whether the copy goes to the device
  std::map<std::pair<std::size_t, bool>, double> pinned_s_;
};

}  // namespace parlab
