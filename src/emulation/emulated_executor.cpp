// The Executor of the emulated build: runs variants for their verdict, never for their time.
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "core/types.hpp"
#include "device/presence.hpp"
#include "emulation/emulated_gpu.hpp"
#include "measure/executor.hpp"
#include "verify/guard.hpp"

namespace parlab {
namespace {

class EmulatedExecutor final : public Executor {
 public:
  void load(const Arrays& inputs, const std::vector<ArraySpec>& outputs, Dtype dtype) override {
    release();
    const auto bytes = [&](const ArraySpec& spec) {
      return static_cast<std::size_t>(spec.count) * bytes_of(dtype);
    };
    for (const auto& array : inputs) {
      auto& memory = gpu_.allocate(array.spec.name, bytes(array.spec), true);
      std::memcpy(memory.data, array.data, bytes(array.spec));
      held_.push_back({array.spec, &memory, array.data});
    }
    for (const auto& spec : outputs) {
      held_.push_back({spec, &gpu_.allocate(spec.name, bytes(spec), false), nullptr});
    }
  }

  void release() override {
    gpu_.free_scratch();
    scratch_of_.clear();
    for (const auto& each : held_) gpu_.free(*each.memory);
    held_.clear();
  }

  Checked run_checked(const Call& call) override {
    const Variant& variant = *call.variant;
    if (!variant.hardware.empty()) {
      throw PointError(Verdict::not_supported, variant.full_name() + " needs " + variant.hardware +
                                                   ", which emulation does not have");
    }
    std::vector<Array> all, outputs;
    for (const auto& [spec, memory, original] : held_) {
      all.push_back({spec, memory->data});
      if (original != nullptr) continue;
      std::memset(memory->data, poison_byte, memory->bytes);
      memory->forget_writes();
      outputs.push_back({spec, memory->data});
    }
    // Scratch memory is the call's own, and a failed execution must not leave its traces in it.
    if (scratch_of_ != call.key()) gpu_.free_scratch();
    scratch_of_.clear();
    gpu_.begin_run();
    const auto start = std::chrono::steady_clock::now();
    variant.run_gpu(gpu_, Arrays(all), call.size, call.dtype, call.tunables);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    scratch_of_ = call.key();
    Checked checked;
    checked.outputs = Arrays(outputs);
    checked.damage = gpu_.scratch_damage();  // wrong accesses stop a kernel as they happen
    checked.launch = shape();
    checked.seconds = taken.count();
    return checked;
  }

  Batch sample(const Call&, int, Cache) override {
    throw std::logic_error("emulated executions are not timed");
  }
  std::optional<TransferTimes> transfers(const Variant&) override { return std::nullopt; }
  bool can_time() const override { return false; }
  Ceilings ceilings() override { return {}; }

 private:
  struct Held {
    ArraySpec spec;
    emulation::Allocation* memory;
    const void* original;  // the caller's array; nullptr for an output
  };

  LaunchShape shape() const {
    LaunchShape result;
    if (gpu_.launches().empty()) return result;
    const auto& config = gpu_.launches().back().config;
    result.grid = {config.grid.x, config.grid.y, config.grid.z};
    result.block = {config.block.x, config.block.y, config.block.z};
    result.shared_bytes = static_cast<std::int64_t>(config.shared_bytes);
    result.launches = static_cast<int>(gpu_.launches().size());
    return result;
  }

  EmulatedGpu gpu_;
  std::vector<Held> held_;
  std::string scratch_of_;  // the call whose execution was the last one, when it ended well
};

}  // namespace

std::optional<std::string> why_no_gpu() { return "this build emulates the GPU"; }

GpuFacts gpu_facts() { return {}; }

std::unique_ptr<Executor> make_gpu_executor() { return std::make_unique<EmulatedExecutor>(); }

}  // namespace parlab
