#include "places/cuda/gpu_devices.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "places/presence.hpp"

namespace parlab {
namespace {

// Counted from the opening of a team's gate.
constexpr double team_limit_s = 60;

}  // namespace

GpuDevices::GpuDevices(Target target, int device)
    : target_(target), device_(device) {
  open();
}

GpuDevices::~GpuDevices() {
  if (!hangs()) {
    close();
    return;
  }
  for (auto& [count, timer] : timers_)
    timer.release();
  for (auto& [count, team] : teams_)
    team.release();
  for (auto& device : devices_)
    device.release();
}

void GpuDevices::open() {
  std::vector<int> numbers{device_};
  if (is_team()) {
    if (const auto why = why_no_gpu())
      throw PointError(Verdict::no_device, *why);
    numbers.clear();
    for (const auto& gpu : gpus_present())
      numbers.push_back(gpu.device);
    enable_peer_access(numbers);
  }
  devices_.clear();
  for (const int number : numbers)
    devices_.push_back(std::make_unique<Device>(number));
  if (target_ == Target::streams)
    streams_ = std::make_unique<CudaStreams>(first());
}

// Frees the resources of each device while that device is current.
void GpuDevices::close() {
  timers_.clear();
  teams_.clear();
  if (!devices_.empty()) cudaSetDevice(first().device());
  streams_.reset();
  for (auto& device : devices_) {
    cudaSetDevice(device->gpu.device());
    device.reset();
  }
  devices_.clear();
}

std::vector<Device*> GpuDevices::first(int count) {
  std::vector<Device*> first;
  for (int i = 0; i < count; ++i)
    first.push_back(devices_[i].get());
  return first;
}

std::vector<CudaGpu*> GpuDevices::first_gpus(int count) {
  std::vector<CudaGpu*> first;
  for (int i = 0; i < count; ++i)
    first.push_back(&devices_[i]->gpu);
  return first;
}

CudaGpus& GpuDevices::team(int count) {
  auto& team = teams_[count];
  if (!team) team = std::make_unique<CudaGpus>(first_gpus(count));
  return *team;
}

GpuTimer& GpuDevices::timer(int count) {
  auto& timer = timers_[count];
  if (timer) return *timer;
  Patience patience;
  if (is_team()) {
    patience = {.abandon = [this, count] { team(count).abandon(); },
                .limit_s = team_limit_s};
  }
  timer = std::make_unique<GpuTimer>(first_gpus(count), std::move(patience));
  return *timer;
}

bool GpuDevices::hangs() const {
  return std::any_of(timers_.begin(), timers_.end(), [](const auto& timer) {
    return timer.second && timer.second->hangs();
  });
}

void GpuDevices::select_scratch(const std::string& call) {
  for (auto& device : devices_)
    device->gpu.select_scratch(call);
  if (streams_) streams_->select_scratch(call);
}

void GpuDevices::release_scratch() {
  for (auto& device : devices_)
    device->gpu.release_scratch();
  if (streams_) streams_->release_scratch();
}

void GpuDevices::put_back() noexcept {
  if (hangs()) return;
  for (auto& device : devices_)
    device->gpu.put_back();
  if (streams_) streams_->put_back();
}

bool GpuDevices::work() {
  if (hangs()) throw PointError(Verdict::no_device, Cause::gpu_hangs);
  if (!is_team()) {
    cudaSetDevice(device_);
    cudaGetLastError();
    return cudaDeviceSynchronize() == cudaSuccess;
  }
  for (auto& device : devices_) {
    device->gpu.select();
    cudaGetLastError();
    cuda_check(cudaDeviceSynchronize(),
               "asking for device " + std::to_string(device->gpu.device()) +
                   " after a failure (nvidia-smi -L says whether it is still "
                   "there)");
  }
  return true;
}

// Some drivers need a moment before they give out the device again; newer ones
// never do so.
void GpuDevices::reopen() {
  close();
  cudaDeviceReset();
  for (int attempt = 0;; ++attempt) {
    try {
      return open();
    } catch (const PointError&) {
      if (attempt == 5) throw;
      cudaGetLastError();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

}  // namespace parlab
