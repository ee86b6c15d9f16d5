// The Executor of emulated variants whose arrays are in the host's memory.
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "places/emulation/emulated_streams.hpp"
#include "places/executor.hpp"

namespace parlab {
namespace {

using emulation::Kind, emulation::Memory;

class EmulatedStreamsExecutor final : public Executor {
 public:
  void load(const Arrays& inputs, const std::vector<ArraySpec>& outputs) override {
    release();
    std::vector<Array> arrays;
    EmulatedStreams host = streams();
    const auto hold = [&](const ArraySpec& spec, Kind kind) -> Memory& {
      memory_.push_back(host.allocate(spec.name, spec.bytes(), kind));
      arrays.push_back({spec, memory_.back()->data});
      return memory_.back();
    };
    for (const auto& array : inputs) {
      const auto& memory = hold(array.spec, Kind::input);
      std::memcpy(memory->data, array.data, memory->bytes);
    }
    for (const auto& spec : outputs) hold(spec, Kind::output);
    arrays_ = Arrays(arrays);
  }

  void release() override { memory_.clear(); }

  Checked run_checked(const Call& call) override {
    const Variant& variant = *call.variant;
    require_emulated(variant);
    for (const auto& memory : memory_) {
      if (memory->kind == Kind::output) memory->poison();
    }
    const Arrays declared = declared_by(variant, arrays_);
    EmulatedStreams gpu = streams();
    const auto start = std::chrono::steady_clock::now();
    gpu.run_host_code(
        [&] { variant.run_streams(gpu, declared, call.size, call.dtype, call.tunables); });
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    Checked checked;
    checked.outputs = arrays_;
    checked.damage = gpu.scratch_damage();  // wrong accesses stop a kernel or a copy as they happen
    checked.seconds = taken.count();
    checked.launch = gpu.launch_shape();
    return checked;
  }

  Batch sample(const Call&, const BatchPlan&) override {
    throw std::logic_error("emulated executions are not timed");
  }
  std::optional<TransferTimes> transfers(const Call&) override { return std::nullopt; }
  bool can_time() const override { return false; }
  Ceilings ceilings(const WantedCeilings&) override { return {}; }

 private:
  EmulatedStreams streams() const {
    return EmulatedStreams(emulation_seed(), emulation::Order::shuffled, machine_);
  }

  std::shared_ptr<EmulatedMachine> machine_ = std::make_shared<EmulatedMachine>();
  std::vector<Memory> memory_;
  Arrays arrays_;
};

}  // namespace

std::unique_ptr<Executor> make_streams_executor(int) {
  return std::make_unique<EmulatedStreamsExecutor>();
}

}  // namespace parlab
