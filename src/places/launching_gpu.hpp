// The part of a Gpu, in every place, that serves its executor and that variants
// do not see: the launches of an execution, and attached objects.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <vector>

#include "core/types.hpp"
#include "facts/cause.hpp"
#include "gpu/gpu.hpp"

namespace parlab {

// One launch as it happened, for the record.
struct LaunchInfo {
  LaunchConfig config;
  const void* kernel = nullptr;
};

// Throws PointError when the configuration is too large for a device. `most`
// gives the device's limits of grids, blocks and shared memory, most_threads
// the threads per block.
inline void refuse_impossible(const LaunchConfig& config,
                              const LaunchConfig& most,
                              std::int64_t most_threads) {
  const auto fits = [](const Extent& e, const Extent& limit) {
    return e.x <= limit.x && e.y <= limit.y && e.z <= limit.z;
  };
  const auto text = [](const Extent& e) {
    return std::to_string(e.x) + "x" + std::to_string(e.y) + "x" +
           std::to_string(e.z);
  };
  const auto says = [&](Cause cause, const LaunchConfig& c) -> Detail {
    return because(cause, text(c.grid), text(c.block), c.shared_bytes);
  };
  auto refused = says(Cause::cannot_launch, config);
  const auto& [grid, block, shared, cooperative, overlaps] = config;
  if (!fits({1, 1, 1}, grid) || !fits({1, 1, 1}, block)) {
    throw PointError(Verdict::launch_failed,
                     says(Cause::nothing_to_launch, config));
  }
  if (!fits(grid, most.grid) || !fits(block, most.block) ||
      block.x * block.y * block.z > most_threads ||
      shared > most.shared_bytes) {
    refused.further = {says(Cause::launch_limits, most)};
    refused.further.back().arguments.emplace_back(most_threads);
    throw PointError(Verdict::not_supported, refused);
  }
}

// Throws PointError unless a variant may use that stream. Each stream is a
// queue of the device, which serves only a few of them at a time.
inline void require_stream(int i) {
  constexpr int most = 64;
  if (i < 0 || i >= most) {
    throw PointError(Verdict::not_supported, Cause::no_such_stream, i,
                     most - 1);
  }
}

// The Gpu whose execution this OS thread makes; nullptr if there is none.
inline Gpu*& current_gpu() {
  thread_local Gpu* gpu = nullptr;
  return gpu;
}

class LaunchingGpu : public Gpu {
 public:
  // The launches since begin_run(), in order.
  const std::vector<LaunchInfo>& launches() const { return launches_; }
  void begin_run() {
    launches_.clear();
    next_scratch_ = 0;
    current_gpu() = this;
  }

 protected:
  void* attachment(const std::type_info& type, void* (*make)(),
                   void (*destroy)(void*)) override {
    auto& slot = attached_[type];
    if (!slot) slot.reset(make(), destroy);
    return slot.get();
  }

  // start() appends to it.
  std::vector<LaunchInfo> launches_;
  std::size_t next_scratch_ = 0;

 private:
  std::map<std::type_index, std::shared_ptr<void>> attached_;
};

}  // namespace parlab
