// The GPUs of one place, a single one or all of the machine as a team, and the
// objects that any number of them share.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "places/cuda/cuda_gpus.hpp"
#include "places/cuda/cuda_streams.hpp"
#include "places/cuda/gpu_timer.hpp"
#include "places/cuda/placement.hpp"

namespace parlab {

class GpuDevices {
 public:
  // target: gpu, streams or team. device: number of the single GPU. Throws
  // PointError(no_device) with the reason.
  GpuDevices(Target target, int device);
  // Leaks the memory of a device that hangs, because it cannot be freed while
  // work runs.
  ~GpuDevices();
  GpuDevices(const GpuDevices&) = delete;
  GpuDevices& operator=(const GpuDevices&) = delete;

  bool is_team() const { return target_ == Target::team; }
  int count() const { return static_cast<int>(devices_.size()); }
  CudaGpu& first() { return devices_.front()->gpu; }
  std::vector<Device*> first(int count);
  // nullptr if the arrays are not in host memory
  CudaStreams* streams() { return streams_.get(); }
  // The first `count` GPUs, and their timer. A timer is made on first use,
  // because under a profiler nothing is timed and no kernel may wait.
  CudaGpus& team(int count);
  GpuTimer& timer(int count);
  // Whether some work could not be ended.
  bool hangs() const;

  // Like those of CudaGpu, for all GPUs.
  void select_scratch(const std::string& call);
  void release_scratch();
  void put_back() noexcept;

  // Whether the devices work. For a team it throws PointError if they do not:
  // the other GPUs cannot replace a lost one, and other places may be using
  // them.
  bool work();
  // Reopens the single GPU after its context has ended.
  void reopen();

 private:
  void open();
  void close();
  std::vector<CudaGpu*> first_gpus(int count);

  Target target_;
  int device_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::unique_ptr<CudaStreams> streams_;
  std::map<int, std::unique_ptr<CudaGpus>> teams_;
  std::map<int, std::unique_ptr<GpuTimer>> timers_;
};

}  // namespace parlab
