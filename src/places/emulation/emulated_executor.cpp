// Executes variants on emulated GPUs, for their verdict and never for their
// time. Places are one GPU with the arrays in its memory or in the host's, or a
// team with one part of the problem each. One GPU is a team of one with the
// whole problem.
#include <cstring>

#include "core/clock.hpp"
#include "places/emulation/emulated_gpus.hpp"
#include "places/emulation/emulated_streams.hpp"
#include "places/executor.hpp"
#include "places/partition.hpp"
#include "places/presence.hpp"

namespace parlab {
namespace {

using emulation::Kind, emulation::Memory;

// One array's part in emulated memory.
struct PartInMemory {
  ArrayPart part;
  Memory memory;

  std::byte* data() const {
    return memory->data +
           static_cast<std::size_t>(part.above) * part.row_bytes();
  }
  std::size_t bytes() const { return part.spec.bytes(); }
  bool is_output() const { return part.spec.role == Role::output; }
};

// Calls f with the rows of the part and the matching rows of the whole array.
template <typename F>
void for_each_row(const PartInMemory& here, void* whole, F f) {
  const auto& part = here.part;
  auto* const first = static_cast<std::byte*>(whole) + part.offset_bytes();
  for (std::int64_t row = 0; row < part.rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    f(here.data() + i * part.row_bytes(), first + i * part.pitch_bytes(),
      part.row_bytes());
  }
}

class EmulatedExecutor final : public Executor {
 public:
  explicit EmulatedExecutor(Target target) : target_(target) {}

  void load(const Arrays& inputs,
            const std::vector<ArraySpec>& outputs) override {
    release();
    inputs_ = inputs;
    outputs_ = std::make_unique<HostArrays>(outputs);
  }
  void release() override {
    inputs_ = {};
    outputs_.reset();
  }

  Checked run_checked(const Call& call) override {
    const Variant& variant = *call.variant;
    if (!variant.hardware.empty()) {
      throw PointError(Verdict::not_supported, Cause::hardware_not_emulated,
                       variant.full_name(), variant.hardware);
    }
    const auto shares = shares_of(call);
    std::vector<std::vector<PartInMemory>> parts;
    std::vector<Arrays> bound;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      parts.push_back(place(shares[i], static_cast<int>(i)));
      std::vector<Array> views;
      for (const auto& here : parts.back())
        views.push_back({here.part.spec, here.data()});
      bound.emplace_back(std::move(views));
    }
    std::vector<UnboundPart> unbound;
    for (std::size_t i = 0; i < shares.size(); ++i)
      unbound.push_back({&bound[i], shares[i].size.data()});

    constexpr std::int64_t at_least_s = 60, times_expected = 10;
    machine_->time_limit = std::chrono::seconds(
        at_least_s +
        static_cast<std::int64_t>(times_expected * call.expected_s));
    machine_->at_most = std::chrono::milliseconds(
        static_cast<std::int64_t>(1000 * call.at_most_s));
    Checked checked;
    const auto run = [&](auto machine, const auto& on) {
      checked.seconds =
          seconds_of([&] { machine.run_host_code([&] { on(machine); }); });
      checked.launch = machine.launch_shape();
      checked.damage = machine.scratch_damage();
    };
    const auto count = static_cast<int>(shares.size());
    if (target_ == Target::team) {
      run(EmulatedGpus(count, machine_), [&](EmulatedGpus& team) {
        variant.run_gpus(team, unbound.data(), count, call.dtype,
                         call.tunables);
      });
    } else if (target_ == Target::streams) {
      run(EmulatedStreams(machine_), [&](EmulatedStreams& gpu) {
        variant.run_streams(gpu, unbound.front(), call.dtype, call.tunables);
      });
    } else {
      run(EmulatedGpu(machine_), [&](EmulatedGpu& gpu) {
        variant.run_gpu(gpu, unbound.front(), call.dtype, call.tunables);
      });
    }
    // Other wrong accesses stop a kernel or a copy when they happen.
    outputs_->poison();
    for (const auto& of_gpu : parts) {
      for (const auto& here : of_gpu) {
        if (auto damage = look_at(here)) checked.damage = std::move(damage);
      }
    }
    checked.outputs = outputs_->view();
    return checked;
  }

  Counted count(const Call& call, const GpuShape& gpu) override {
    machine_->counts = std::make_unique<emulation::SharedCounts>();
    machine_->shape = gpu;
    const auto launch = run_checked(call).launch;
    Counted counted{.lines = (*machine_->counts)->lines(),
                    .launches = launch.launches,
                    .blocks = launch.grid[0] * launch.grid[1] * launch.grid[2],
                    .threads_per_block =
                        launch.block[0] * launch.block[1] * launch.block[2],
                    .shared_bytes = launch.shared_bytes};
    machine_->counts.reset();
    machine_->shape = {};
    return counted;
  }

  // A call gets as many GPUs as it asks for. The default is two, because a team
  // of one would prove nothing about teams.
  int gpus() const override { return target_ == Target::team ? 2 : 1; }

  Batch sample(const Call&, const BatchPlan&) override {
    throw std::logic_error("emulated executions are not timed");
  }
  bool can_time() const override { return false; }
  Ceilings ceilings(const WantedCeilings&) override { return {}; }

 private:
  std::vector<Share> shares_of(const Call& call) const {
    const Variant& variant = *call.variant;
    std::vector<ArraySpec> arrays;
    for (const auto& array : inputs_)
      arrays.push_back(array.spec);
    for (const auto& array : outputs_->view())
      arrays.push_back(array.spec);
    if (target_ == Target::team) {
      return divide(*Registry::instance().workload(variant.workload), variant,
                    call.size, arrays, static_cast<int>(call.tunables["gpus"]));
    }
    Share all{.size = call.size, .parts = {}};
    for (const auto& array : arrays) {
      if (variant.reads(array) || variant.writes(array))
        all.parts.push_back(whole_part(array));
    }
    return {all};
  }

  // An input without a halo must not be written; a halo must be filled.
  std::vector<PartInMemory> place(const Share& share, int gpu) const {
    const bool team = target_ == Target::team;
    const auto owner = team ? "GPU " + std::to_string(gpu) + "'s " : "";
    std::vector<PartInMemory> parts;
    for (const auto& part : share.parts) {
      const auto halo =
          static_cast<std::size_t>(part.above + part.below) * part.row_bytes();
      const bool output = part.spec.role == Role::output;
      PartInMemory here{
          .part = part,
          .memory = machine_->arena.allocate(
              owner + part.spec.name, part.spec.bytes() + halo,
              output || halo > 0 ? Kind::output : Kind::input,
              target_ == Target::streams ? emulation::host_memory : gpu)};
      if (!output) {
        for_each_row(here, inputs_.get<unsigned char>(part.spec.name),
                     [](void* to, const void* from, auto bytes) {
                       std::memcpy(to, from, bytes);
                     });
        here.memory->settle(here.data(), here.bytes());
      }
      parts.push_back(std::move(here));
    }
    return parts;
  }

  // Copies an output to the host, or checks that an input is unchanged.
  Detail look_at(const PartInMemory& here) const {
    const auto& spec = here.part.spec;
    Detail damage;
    if (!here.is_output()) {
      for_each_row(here, inputs_.get<unsigned char>(spec.name),
                   [&](const void* now, const void* before, auto bytes) {
                     if (std::memcmp(now, before, bytes) == 0) return;
                     damage = because(Cause::changed_input, here.memory->name);
                   });
      return damage;
    }
    auto* const whole = outputs_->view().get<unsigned char>(spec.name);
    if (here.part.whole && here.memory->device > 0) {
      if (std::memcmp(whole, here.data(), here.bytes()) != 0)
        damage = because(Cause::copies_differ, spec.name, here.memory->device);
      return damage;
    }
    for_each_row(here, whole, [](const void* from, void* to, auto bytes) {
      std::memcpy(to, from, bytes);
    });
    return damage;
  }

  Target target_;
  std::shared_ptr<EmulatedMachine> machine_ =
      std::make_shared<EmulatedMachine>();
  Arrays inputs_;
  std::unique_ptr<HostArrays> outputs_;
};

}  // namespace

// All emulated devices are alike.
std::unique_ptr<Executor> make_gpu_executor(Target target, int) {
  return std::make_unique<EmulatedExecutor>(target);
}

std::optional<Detail> why_no_gpu() {
  return Detail{.cause = Cause::built_for_emulation};
}
std::vector<GpuFacts> gpus_present() {
  return {};
}
std::vector<GpuFacts> gpus_by_name() {
  return {};
}

}  // namespace parlab
