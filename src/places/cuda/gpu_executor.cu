// Executes variants on one GPU, with the arrays in its memory or in the host's,
// or on a team of GPUs with one part of the problem each. One GPU is a team of
// one; code for only one of the two cases is at the end.
//
//   load          one GPU: uploads all arrays; a team: at the first call of
//                 each way to divide them
//   run_checked   runs once in the open and once held behind poison; then
//                 checks everything around the arrays
//   sample        runs a batch behind the timer's gate, with another
//                 disturbance for each execution; then checks the memory
//                 around the outputs and whether they still change
#include "places/executor.hpp"

#include <cuda_profiler_api.h>

#include <algorithm>
#include <map>

#include "core/at_end.hpp"
#include "core/clock.hpp"
#include "places/cuda/device_ceilings.hpp"
#include "places/cuda/gpu_devices.hpp"
#include "places/cuda/link_ceilings.hpp"
#include "places/cuda/profile_mark.hpp"
#include "places/cuda/transfer_timer.hpp"
#include "places/presence.hpp"
#include "statistics/statistics.hpp"

namespace parlab {
namespace {

// The queue of a stream holds about a thousand entries, and a batch behind the
// gate must fit. Each execution is assumed to queue at least this many.
constexpr int queue_entries = 500;
constexpr int least_of_launches = 4, least_of_transfers = 20;

class GpuExecutor final : public Executor {
 public:
  GpuExecutor(Target target, int device)
      : target_(target), device_(device), devices_(target, device) {}
  ~GpuExecutor() override {
    if (devices_.hangs()) new auto(std::move(placed_));  // leaks it
  }

  void load(const Arrays& inputs,
            const std::vector<ArraySpec>& outputs) override {
    if (!is_team()) devices_.first().select();
    release();
    inputs_ = inputs;
    outputs_ = std::make_unique<HostArrays>(outputs);
    if (!is_team()) place(whole(), "whole");
    pinned_.free();
  }

  void release() override {
    if (devices_.hangs()) return;
    placed_.clear();
    inputs_ = {};
    outputs_.reset();
    entries_.clear();
    devices_.release_scratch();
  }

  Checked run_checked(const Call& call) override {
    Placement& placed = place(call);
    const AtEnd put_back([&] { devices_.put_back(); });
    auto& timer = devices_.timer(placed.count());
    const Room room(placed);
    // The first run, in the open, loads kernels and makes scratch memory. The
    // second is held back behind the poison, so that neither the first result
    // nor work on another stream can pass for the second.
    Checked checked;
    checked.seconds = run_in_the_open(call, placed);
    // Work on another stream ends first, and the poison overwrites its results.
    const double hold_s = std::min(200e-6 + checked.seconds, 50e-3);
    timer.run_held(
        [&] {
          placed.poison_outputs();
          placed.poison_rooms();
        },
        [&] { run(call, placed); }, hold_s);
    room.must_be_left();
    devices_.first().select();
    checked.launch = main_launch();
    checked.damage = placed.damage_of_outputs();
    if (auto damage = placed.damage_of_inputs()) {
      checked.damage = std::move(damage);
      checked.inputs_lost = true;
    }
    placed.each([&](Device& device, int i) {
      if (auto damage = device.gpu.scratch_damage())
        checked.damage = placed.on(i, std::move(damage));
    });
    if (const auto* const streams = devices_.streams()) {
      if (auto damage = streams->scratch_damage())
        checked.damage = std::move(damage);
    }
    if (checked.damage) placed.renew_guards();
    placed.gather(outputs_->view(), checked.damage);
    checked.outputs = outputs_->view();
    return checked;
  }

  Batch sample(const Call& call, const BatchPlan& asked) override {
    Placement& placed = place(call);
    BatchPlan plan = asked;
    // Arrays in host memory are written anew only once per batch, before the
    // gate is closed, because writing them takes longer than copying them.
    const bool on_host = devices_.streams() != nullptr;
    for (auto& execution : plan.executions) {
      if (on_host) execution.signs = plan.executions.back().signs;
    }
    const AtEnd put_back([&] { devices_.put_back(); });
    auto& timer = devices_.timer(placed.count());
    // Anything that waits for a device must run before a device is held back.
    // NCCL's kernels need the larger stack that put_back() has removed.
    if (is_team() || !entries_.contains(call.key()))
      run_in_the_open(call, placed);
    const int least = least_of_launches + (is_team() ? least_of_transfers : 0);
    // Besides its own entries there are events, disturbances, and two for each
    // input that is written anew and read.
    const int all =
        std::max(least, entries_[call.key()]) + 6 +
        2 * static_cast<int>(std::distance(inputs_.begin(), inputs_.end()));
    const int count = std::clamp(queue_entries / all - 4, 1,
                                 static_cast<int>(plan.executions.size()));
    const auto* const executions =
        plan.executions.data() + plan.executions.size() - count;
    placed.prepare_disturbances(plan, count);
    Signs signs;         // current signs of the inputs
    int disturbed = -1;  // the execution whose disturbance is in place
    const auto write_anew = [&](const Signs& now) {
      if (now == signs) return;
      placed.disturb(std::exchange(disturbed, -1), -1);
      placed.write_anew(*call.variant, std::exchange(signs, now), now);
    };
    if (on_host) {
      write_anew(executions->signs);
      timer.wait("writing inputs anew");
    }
    GpuTimer::Work work{.run = [&] { run(call, placed); }};
    if (asked.watched) work.warm_ups = 0;
    work.before = [&](int i) {
      write_anew(executions[i].signs);
      placed.disturb(std::exchange(disturbed, i), i);
      placed.poison_rooms();  // so that data from elsewhere must arrive again
    };
    work.after = [&] {
      placed.queue_fingerprints();
      placed.disturb(std::exchange(disturbed, -1), -1);
      if (!on_host) write_anew({});
    };
    Batch batch;
    const Room room(placed);
    try {
      batch = timer.time(work, count, plan.cache);
    } catch (...) {
      // Makes the next call upload the inputs again.
      if (!devices_.hangs()) placed_.clear();
      throw;
    }
    if (on_host) write_anew({});
    room.must_be_left();
    batch.damage = placed.damage_of_outputs();
    if (batch.damage) placed.renew_guards();
    // Compares the outputs at the end of the timed window with those now.
    const auto left = placed.read_fingerprints();
    placed.queue_fingerprints();
    if (left != placed.read_fingerprints())
      batch.damage = {.cause = Cause::wrote_after_time};
    sampled_ = &placed;
    return batch;
  }

  Left left_by_sample() override {
    Left left;
    sampled_->gather(outputs_->view(), left.damage);
    left.outputs = outputs_->view();
    return left;
  }

  // Runs without the timer, because under a profiler or compute-sanitizer no
  // kernel may wait for another. Counters of a team are not read.
  void run_profiled(const Call& call, int number) override {
    Placement& placed = place(call);
    const AtEnd put_back([&] { devices_.put_back(); });
    run(call, placed);
    placed.each([](Device&, int) {
      cuda_check(cudaDeviceSynchronize(), "executing the variant");
    });
    if (is_team()) return;
    cuda_check(cudaProfilerStart(), "starting the profiler");
    mark_execution(number, devices_.first().cuda_stream());
    run(call, placed);
    cuda_check(cudaDeviceSynchronize(),
               "executing the variant under the profiler");
    cuda_check(cudaProfilerStop(), "stopping the profiler");
  }

  std::optional<TransferTimes> transfers(const Call& call) override {
    if (target_ == Target::streams) return std::nullopt;
    Placement& placed = place(call);
    if (!is_team()) {
      if (!transfer_timer_) transfer_timer_.emplace(devices_.first());
      return transfer_timer_->times(*call.variant, placed, inputs_,
                                    outputs_->view());
    }
    Detail ignored;
    return TransferTimes{.to_device_s = placed.upload_s(),
                         .to_host_s = seconds_of([&] {
                           placed.gather(outputs_->view(), ignored);
                         })};
  }

  bool can_time() const override { return true; }
  int gpus() const override { return devices_.count(); }

  Ceilings ceilings(const WantedCeilings& wanted) override {
    auto& gpu = devices_.first();
    gpu.select();
    Ceilings ceilings;
    measure_bandwidth(ceilings, gpu, devices_.timer(1), wanted);
    measure_units(ceilings, gpu, devices_.timer(1), wanted);
    return ceilings;
  }

  std::map<std::string, double> links() override {
    std::map<std::string, double> links;
    if (auto* const streams = devices_.streams()) {
      auto& gpu = devices_.first();
      gpu.select();
      streams->select_scratch("");
      links = measure_host_link(*streams, gpu, devices_.timer(1));
    }
    for (int count = 2; is_team() && count <= gpus(); ++count) {
      for (auto* device : devices_.first(count))
        device->gpu.begin_run();
      measure_links(links, devices_.team(count), devices_.timer(count));
    }
    return links;
  }

  bool recover() override {
    if (devices_.work()) {
      if (is_team()) placed_.clear();
      return false;
    }
    // An invalid address ends the context, and everything in it is lost.
    release();
    pinned_.free();
    transfer_timer_.reset();
    devices_.reopen();
    return true;
  }

  // ---- of one GPU

  Repeated repeat(const Call& call, const Repetition& plan) override {
    if (is_team()) return Executor::repeat(call, plan);
    Placement& placed = place(call);
    const AtEnd put_back([&] { devices_.put_back(); });
    auto* const stream = devices_.first().cuda_stream();
    placed.poison_outputs();
    run(call, placed);  // raises the clocks
    cuda_check(cudaStreamSynchronize(stream), "executing the variant");
    // Each bunch is queued while the previous one runs, so that the device
    // never waits for the host.
    const CudaEvent done[2];
    const auto queue = [&](int which) {
      for (std::int64_t i = 0; i < plan.bunch; ++i)
        run(call, placed);
      cuda_check(cudaEventRecord(done[which].handle, stream),
                 "recording an event");
    };
    Repeated repeated;
    plan.begins();
    queue(0);
    bool enough = false;
    for (int next = 1; !enough; next = 1 - next) {
      queue(next);
      cuda_check(cudaEventSynchronize(done[1 - next].handle),
                 "repeating the variant");
      repeated.executions += plan.bunch;
      enough = plan.enough();
    }
    cuda_check(cudaDeviceSynchronize(), "repeating the variant");
    repeated.executions += plan.bunch;
    plan.ends();
    repeated.damage = placed.damage_of_outputs();
    placed.gather(outputs_->view(), repeated.damage);
    if (repeated.damage) placed.renew_guards();
    repeated.outputs = outputs_->view();
    return repeated;
  }

  std::unique_ptr<EnergyMeter> energy_meter() override {
    if (is_team()) return Executor::energy_meter();
    for (const auto& gpu : gpus_present()) {
      if (gpu.device == device_) return gpu_energy_meter(gpu.uuid);
    }
    throw NoEnergy(Cause::gpu_without_identity, device_);
  }

  // ---- of a team

  std::optional<double> seconds_of_transfers(const Call& call) override {
    if (!is_team()) return std::nullopt;
    Placement& placed = place(call);
    if (placed.count() < 2) return std::nullopt;
    const AtEnd put_back([&] { devices_.put_back(); });
    auto& timer = devices_.timer(placed.count());
    auto& team = devices_.team(placed.count());
    run_in_the_open(call, placed);
    std::vector<double> seconds;
    for (int i = 0; i < 5; ++i) {
      team.begin_watch();
      const auto before = [&] {
        placed.poison_rooms();
        timer.meet();  // so that no transfer includes waiting for others
      };
      timer.run_held(before, [&] { run(call, placed); });
      seconds.push_back(team.end_watch());
    }
    return median(std::move(seconds));
  }

 private:
  // Checks that a variant keeps no memory, which would be lost to all others
  // until this process ends. Libraries and drivers may take some.
  class Room {
   public:
    explicit Room(const Placement& placed) : placed_(placed), before_(left()) {}
    void must_be_left() const {
      const auto now = left();
      if (now + before_ / 8 >= before_) return;
      throw PointError(Verdict::launch_failed, Cause::keeps_device_memory,
                       quantity(before_ - now, Unit::byte));
    }

   private:
    double left() const {
      double bytes = 0;
      placed_.each([&](Device& device, int) {
        bytes += static_cast<double>(device.gpu.bytes_left());
      });
      return bytes;
    }

    const Placement& placed_;
    double before_;
  };

  bool is_team() const { return devices_.is_team(); }

  // ---- placing

  // A problem stays placed for variants that divide it alike. From here on
  // scratch memory is that of the call.
  Placement& place(const Call& call) {
    devices_.select_scratch(call.key());
    if (!is_team()) {
      devices_.first().select();
      return place(whole(), "whole");
    }
    const auto asked = static_cast<int>(call.tunables["gpus"]);
    if (asked > gpus()) {
      throw PointError(Verdict::not_supported, Cause::too_many_gpus, asked,
                       gpus());
    }
    const Variant& variant = *call.variant;
    const auto shares = divide(*Registry::instance().workload(variant.workload),
                               variant, call.size, specs(), asked);
    std::string key = std::to_string(shares.size());
    for (const auto& dimension : variant.split)
      key += " " + dimension;
    for (const auto& part : shares.front().parts)
      key += " " + part.spec.name;
    return place(shares, key);
  }

  Placement& place(const std::vector<Share>& shares, const std::string& key) {
    if (const auto found = placed_.find(key); found != placed_.end())
      return *found->second;
    const auto make = [&] {
      return std::make_unique<Placement>(
          devices_.first(static_cast<int>(shares.size())), shares, inputs_,
          target_ == Target::streams ? &pinned_ : nullptr);
    };
    try {
      return *placed_.emplace(key, make()).first->second;
    } catch (const PointError& error) {
      if (error.verdict != Verdict::out_of_memory || placed_.empty()) throw;
    }
    placed_.clear();  // other problems can be placed again
    return *placed_.emplace(key, make()).first->second;
  }

  std::vector<ArraySpec> specs() const {
    std::vector<ArraySpec> arrays;
    for (const auto& array : inputs_)
      arrays.push_back(array.spec);
    for (const auto& array : outputs_->view())
      arrays.push_back(array.spec);
    return arrays;
  }

  // All arrays on one GPU, for all variants.
  std::vector<Share> whole() const {
    Share share;
    for (const auto& spec : specs())
      share.parts.push_back(whole_part(spec));
    return {share};
  }

  // ---- executing

  void run(const Call& call, Placement& placed) {
    const auto& [variant, size, dtype, tunables, expected_s, at_most_s] = call;
    placed.each([](Device& device, int) { device.gpu.begin_run(); });
    if (is_team()) {
      variant->run_gpus(devices_.team(placed.count()), placed.unbound().data(),
                        placed.count(), dtype, tunables);
      return;
    }
    const Arrays declared = declared_by(*variant, placed.bound(0));
    const UnboundPart arrays{&declared, size.data()};
    auto* const streams = devices_.streams();
    if (streams == nullptr)
      return variant->run_gpu(devices_.first(), arrays, dtype, tunables);
    streams->begin();
    try {
      variant->run_streams(*streams, arrays, dtype, tunables);
    } catch (...) {  // queued work still uses the arrays
      streams->end();
      throw;
    }
    streams->end();
  }

  // Loads kernels, makes scratch memory, and counts the call's queue entries.
  double run_in_the_open(const Call& call, Placement& placed) {
    auto& timer = devices_.timer(placed.count());
    if (is_team()) devices_.team(placed.count()).take_queued();
    const double seconds = seconds_of([&] {
      run(call, placed);
      timer.wait("executing the variant");
    });
    entries_[call.key()] = entries(placed);
    return seconds;
  }

  LaunchShape main_launch() {
    const auto* const streams = devices_.streams();
    return streams ? streams->main_launch() : devices_.first().main_launch();
  }

  // The entries that the last execution queued.
  int entries(const Placement& placed) {
    const int launches = main_launch().launches;
    const auto* const streams = devices_.streams();
    if (!is_team()) return launches + (streams ? streams->queued() : 0);
    return std::max(least_of_launches, launches) +
           std::max(least_of_transfers,
                    devices_.team(placed.count()).take_queued());
  }

  Target target_;
  int device_;  // number of the single GPU
  GpuDevices devices_;
  std::optional<TransferTimer> transfer_timer_;
  Arrays inputs_;  // owned by the caller
  std::unique_ptr<HostArrays> outputs_;
  PinnedMemory pinned_;
  std::map<std::string, std::unique_ptr<Placement>> placed_;
  Placement* sampled_ = nullptr;        // placement of the last batch
  std::map<std::string, int> entries_;  // for calls that have run since load()
};

}  // namespace

std::unique_ptr<Executor> make_gpu_executor(Target target, int device) {
  return std::make_unique<GpuExecutor>(target, device);
}

}  // namespace parlab
