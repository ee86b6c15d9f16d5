// The GPUs of one place: a single one, or all of the machine as a team; and
// what so many of them have in common.
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
  // target: gpu, streams or team; device: of the one GPU it may be. Throws
  // PointError(no_device) with the reason.
  GpuDevices(Target target, int device);
  // Memory of a device that hangs stays: nothing can free it while it runs.
  ~GpuDevices();
  GpuDevices(const GpuDevices&) = delete;
  GpuDevices& operator=(const GpuDevices&) = delete;

  bool is_team() const { return target_ == Target::team; }
  int count() const { return static_cast<int>(devices_.size()); }
  CudaGpu& first() { return devices_.front()->gpu; }
  std::vector<Device*> first(int count);
  // nullptr: the arrays are not the host's
  CudaStreams* streams() { return streams_.get(); }
  // The first `count` GPUs, and their timer. A timer is made on its first use:
  // under a profiler nothing is timed, and no kernel may wait.
  CudaGpus& team(int count);
  GpuTimer& timer(int count);
  // Something runs that could not be ended.
  bool hangs() const;

  // As of CudaGpu, for all.
  void select_scratch(const std::string& call);
  void release_scratch();
  void put_back() noexcept;

  // Whether they work. Of a team it throws PointError where they do not: what
  // one GPU has lost, the others cannot give back, and other places may be at
  // work there.
  bool work();
  // The one GPU anew, after its context has ended.
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
