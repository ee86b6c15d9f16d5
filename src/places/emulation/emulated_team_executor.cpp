// The Executor of a team of emulated GPUs: divides a problem, runs variants
// for their verdict, and puts the parts of the result together.
#include <chrono>
#include <cstring>

#include "places/emulation/emulated_gpus.hpp"
#include "places/emulation/untimed_executor.hpp"
#include "places/partition.hpp"

namespace parlab {
namespace {

using emulation::Kind, emulation::Memory;

// One array's part in the memory of one emulated GPU.
struct PartInMemory {
  ArrayPart part;
  Memory memory;

  std::byte* data() const {
    return memory->data +
           static_cast<std::size_t>(part.above) * part.row_bytes();
  }
  std::size_t bytes() const { return part.spec.bytes(); }
};

// Rows of the part, and those of the whole array that they are.
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

class EmulatedTeamExecutor final : public UntimedExecutor {
 public:
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
    require_emulated(variant);
    std::vector<ArraySpec> arrays;
    for (const auto& array : inputs_)
      arrays.push_back(array.spec);
    for (const auto& array : outputs_->view())
      arrays.push_back(array.spec);
    const auto shares =
        divide(*Registry::instance().workload(variant.workload), variant,
               call.size, arrays, static_cast<int>(call.tunables["gpus"]));
    EmulatedGpus team(static_cast<int>(shares.size()), emulation_seed(),
                      emulation::Order::shuffled, machine_);
    std::vector<std::vector<PartInMemory>> parts;
    std::vector<Arrays> bound;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      parts.push_back(place(team[static_cast<int>(i)], shares[i]));
      std::vector<Array> views;
      for (const auto& here : parts.back())
        views.push_back({here.part.spec, here.data()});
      bound.emplace_back(std::move(views));
      team[static_cast<int>(i)].begin_run();
    }
    std::vector<UnboundPart> unbound;
    for (std::size_t i = 0; i < shares.size(); ++i)
      unbound.push_back({&bound[i], shares[i].size.data()});
    const auto start = std::chrono::steady_clock::now();
    team.run_host_code([&] {
      variant.run_gpus(team, unbound.data(), team.count(), call.dtype,
                       call.tunables);
    });
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    Checked checked;
    checked.seconds = taken.count();
    checked.launch = launch_shape_of(team[0]);
    for (int i = 0; i < team.count(); ++i) {
      if (const auto damage = team[i].scratch_damage(); !damage.empty())
        checked.damage = damage;
    }
    outputs_->poison();
    for (const auto& of_gpu : parts) {
      for (const auto& here : of_gpu) {
        if (const auto damage = look_at(here); !damage.empty())
          checked.damage = damage;
      }
    }
    checked.outputs = outputs_->view();
    return checked;
  }

  // There are as many as are asked for; a team of one would
  // prove nothing of teams.
  int gpus() const override { return 2; }

 private:
  // An input without a halo may not be written to; a halo is to be filled.
  std::vector<PartInMemory> place(EmulatedGpu& gpu, const Share& share) const {
    std::vector<PartInMemory> parts;
    for (const auto& part : share.parts) {
      const bool output = part.spec.role == Role::output;
      const auto halo =
          static_cast<std::size_t>(part.above + part.below) * part.row_bytes();
      const auto kind = output || halo > 0 ? Kind::output : Kind::input;
      PartInMemory here{
          part, gpu.allocate(part.spec.name, part.spec.bytes() + halo, kind)};
      here.memory->poison();
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

  // Brings an output home, and sees whether an input is what it was.
  std::string look_at(const PartInMemory& here) const {
    const auto& spec = here.part.spec;
    std::string damage;
    if (spec.role == Role::input) {
      for_each_row(here, inputs_.get<unsigned char>(spec.name),
                   [&](const void* now, const void* before, auto bytes) {
                     if (std::memcmp(now, before, bytes) != 0)
                       damage = "changed its input " + here.memory->name;
                   });
      return damage;
    }
    auto* const whole = outputs_->view().get<unsigned char>(spec.name);
    if (here.part.whole && here.memory->device > 0) {
      if (std::memcmp(whole, here.data(), here.bytes()) != 0) {
        damage = here.memory->name + " is another one than GPU 0's";
      }
      return damage;
    }
    for_each_row(here, whole, [](const void* from, void* to, auto bytes) {
      std::memcpy(to, from, bytes);
    });
    return damage;
  }

  std::shared_ptr<EmulatedMachine> machine_ =
      std::make_shared<EmulatedMachine>();
  Arrays inputs_;
  std::unique_ptr<HostArrays> outputs_;
};

}  // namespace

std::unique_ptr<Executor> make_team_executor() {
  return std::make_unique<EmulatedTeamExecutor>();
}

}  // namespace parlab
