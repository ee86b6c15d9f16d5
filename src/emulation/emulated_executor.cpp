// The Executor of the emulated build: runs variants for their verdict, never for their time.
#include <cstring>
#include <stdexcept>

#include "core/types.hpp"
#include "emulation/emulated_gpu.hpp"
#include "measure/executor.hpp"

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
    end_call();
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
      std::memset(memory->data, 0xff, memory->bytes);  // NaN in every floating-point type
      memory->forget_writes();
      outputs.push_back({spec, memory->data});
    }
    gpu_.begin_run();
    variant.run_gpu(gpu_, Arrays(all), call.size, call.dtype, call.tunables);
    return {Arrays(outputs), damage(), shape()};
  }

  Batch sample(const Call&, int, Cache) override {
    throw std::logic_error("emulated executions are not timed");
  }
  std::optional<TransferTimes> transfers(const Variant&) override { return std::nullopt; }
  void end_call() override { gpu_.free_scratch(); }
  bool can_time() const override { return false; }

 private:
  struct Held {
    ArraySpec spec;
    emulation::Allocation* memory;
    const void* original;  // the caller's array; nullptr for an output
  };

  // Wrong accesses of kernels were found while they ran; this is the rest.
  std::string damage() const {
    for (const auto& [spec, memory, original] : held_) {
      if (original != nullptr && std::memcmp(memory->data, original, memory->bytes) != 0) {
        return "changed its input " + spec.name;
      }
    }
    return gpu_.scratch_damage();
  }

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
};

}  // namespace

std::unique_ptr<Executor> make_gpu_executor() { return std::make_unique<EmulatedExecutor>(); }

}  // namespace parlab
