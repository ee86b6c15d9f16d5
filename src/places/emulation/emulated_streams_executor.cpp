// The Executor of emulated variants whose arrays are in the host's memory.
#include <chrono>

#include "places/emulation/emulated_streams.hpp"
#include "places/emulation/held_arrays.hpp"
#include "places/emulation/untimed_executor.hpp"

namespace parlab {
namespace {

using emulation::HeldArrays;

class EmulatedStreamsExecutor final : public UntimedExecutor {
 public:
  void load(const Arrays& inputs,
            const std::vector<ArraySpec>& outputs) override {
    release();
    // Of the host: copies reach it, kernels do not.
    arrays_ = HeldArrays(inputs, outputs, [&](const auto&... what) {
      return machine_->arena.allocate(what..., emulation::host_memory);
    });
  }

  void release() override { arrays_ = {}; }

  Checked run_checked(const Call& call) override {
    const Variant& variant = *call.variant;
    require_emulated(variant);
    arrays_.poison_outputs();
    const Arrays declared = declared_by(variant, arrays_.view());
    EmulatedStreams gpu(emulation_seed(), emulation::Order::shuffled, machine_);
    const auto start = std::chrono::steady_clock::now();
    gpu.run_host_code([&] {
      variant.run_streams(gpu, {&declared, call.size.data()}, call.dtype,
                          call.tunables);
    });
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    Checked checked;
    checked.outputs = arrays_.view();
    // wrong accesses stop a kernel or a copy as they happen
    checked.damage = gpu.scratch_damage();
    checked.seconds = taken.count();
    checked.launch = gpu.launch_shape();
    return checked;
  }

 private:
  std::shared_ptr<EmulatedMachine> machine_ =
      std::make_shared<EmulatedMachine>();
  HeldArrays arrays_;
};

}  // namespace

std::unique_ptr<Executor> make_streams_executor(int) {
  return std::make_unique<EmulatedStreamsExecutor>();
}

}  // namespace parlab
