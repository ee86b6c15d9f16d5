// The Executor of the emulated build: runs variants for their
// verdict, never for their time.
#include <chrono>

#include "places/emulation/emulated_gpu.hpp"
#include "places/emulation/held_arrays.hpp"
#include "places/emulation/untimed_executor.hpp"
#include "places/presence.hpp"

namespace parlab {
namespace {

using emulation::HeldArrays;

class EmulatedExecutor final : public UntimedExecutor {
 public:
  void load(const Arrays& inputs,
            const std::vector<ArraySpec>& outputs) override {
    release();
    arrays_ = HeldArrays(inputs, outputs, [&](const auto&... what) {
      return gpu_.allocate(what...);
    });
  }

  void release() override {
    gpu_.free_scratch();
    arrays_ = {};
  }

  Checked run_checked(const Call& call) override {
    const Variant& variant = *call.variant;
    require_emulated(variant);
    arrays_.poison_outputs();
    const Arrays declared = declared_by(variant, arrays_.view());
    gpu_.free_scratch();
    gpu_.begin_run();
    const auto start = std::chrono::steady_clock::now();
    gpu_.run_host_code([&] {
      variant.run_gpu(gpu_, {&declared, call.size.data()}, call.dtype,
                      call.tunables);
    });
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    Checked checked;
    checked.outputs = arrays_.view();
    // wrong accesses stop a kernel as they happen
    checked.damage = gpu_.scratch_damage();
    checked.seconds = taken.count();
    checked.launch = launch_shape_of(gpu_);
    return checked;
  }

 private:
  EmulatedGpu gpu_;
  HeldArrays arrays_;
};

}  // namespace

// All emulated devices are alike.
std::unique_ptr<Executor> make_gpu_executor(int) {
  return std::make_unique<EmulatedExecutor>();
}

std::optional<std::string> why_no_gpu() {
  return "this program was built to emulate CUDA kernels, not to run them on a "
         "GPU";
}
std::vector<GpuFacts> gpus_present() {
  return {};
}
std::vector<GpuFacts> gpus_by_name() {
  return {};
}

}  // namespace parlab
