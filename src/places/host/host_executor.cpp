// Executes CPU variants, with threads pinned to cores and steady_clock around
// each execution.
#include <omp.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <set>

#include "core/at_end.hpp"
#include "core/clock.hpp"
#include "core/untouched.hpp"
#include "facts/cause.hpp"
#include "host/blas.hpp"
#include "host/blas_in_use.hpp"
#include "host/host.hpp"
#include "machine/host_ceilings.hpp"
#include "machine/pinning.hpp"
#include "machine/run_queue.hpp"
#include "machine/topology.hpp"
#include "places/executor.hpp"
#include "places/host/cpu_time.hpp"
#include "places/races.hpp"
#include "verify/guard.hpp"

namespace parlab {

const RaceWatch* race_watch = nullptr;

namespace {

// Scratch memory of each call, in the order of requests: the same blocks at
// every execution.
class HostWithScratch final : public Host {
 public:
  explicit HostWithScratch(int cores) : cores_(cores) {}
  int cores() const override { return cores_; }
  void select(const std::string& call) { blocks_ = &scratch_[call]; }
  void begin_run() { next_ = 0; }
  void release() { scratch_.clear(); }

 protected:
  void* scratch_bytes(std::size_t bytes) override {
    if (next_ == blocks_->size()) {
      try {
        blocks_->emplace_back(bytes);
      } catch (const std::bad_alloc&) {
        throw PointError(Verdict::out_of_memory, Cause::no_host_memory,
                         "scratch", quantity(bytes, Unit::byte));
      }
      std::memset(blocks_->back().data(), poison_byte, bytes);
    }
    return (*blocks_)[next_++].data();
  }

 private:
  int cores_;
  std::size_t next_ = 0;
  using Blocks = std::vector<Untouched<unsigned char>>;
  std::map<std::string, Blocks> scratch_;
  Blocks* blocks_ = nullptr;
};

int threads_asked_for(const Call& call) {
  return static_cast<int>(call.tunables.value_or("threads", 1));
}

bool uses_threads_of_library(const Call& call) {
  return call.variant->backend == "blas" && Blas::has_own_threads();
}

constexpr std::size_t most_bytes_for_one = std::size_t{64} << 20;

// OpenMP's threads for one call, each on its own CPU. A call with threads of
// its own (has_own) gets none: its threads would inherit the caller's CPU, and
// idle threads of OpenMP would spin beside them.
class Team {
 public:
  Team(int threads, bool has_own) : alone_(threads == 1 || has_own) {
    if (!has_own || threads == 1) pinned_.emplace(threads);
    end_others();
  }

  void end_others() const {
    if (alone_) end_idle_threads();
  }

 private:
  bool alone_;  // without a team
  std::optional<PinnedTeam> pinned_;
};

// Names the element, such as "y[17]", or else a variable of the program.
Detail race_of(const ThreadRace& race, const Arrays& arrays) {
  std::string what = "a variable that threads share";
  for (const auto& array : arrays) {
    const auto offset = static_cast<const std::byte*>(race.address) -
                        static_cast<const std::byte*>(array.data);
    const auto bytes = static_cast<std::ptrdiff_t>(array.spec.bytes());
    if (array.data == nullptr || offset < 0 || offset >= bytes) continue;
    what = array.spec.name + "[" +
           std::to_string(offset * array.spec.count / bytes) + "]";
  }
  return because(Cause::race_of_threads, race.does, what, race.place, race.did,
                 race.place_before);
}

class HostExecutor final : public Executor {
 public:
  HostExecutor() : host_(physical_cores()) {}

  void load(const Arrays& inputs,
            const std::vector<ArraySpec>& outputs) override {
    release();
    inputs_ = inputs;
    outputs_ = std::make_unique<HostArrays>(outputs);
    outputs_->poison();
    std::vector<Array> all(inputs.begin(), inputs.end());
    all.insert(all.end(), outputs_->view().begin(), outputs_->view().end());
    all_ = Arrays(std::move(all));
    for (const auto& array : inputs_)
      fingerprints_[array.spec.name] =
          fingerprint_of(array, omp_get_max_threads());
  }

  void release() override {
    all_ = inputs_ = {};
    outputs_.reset();
    fingerprints_.clear();
    seconds_.clear();
    starts_threads_.clear();
    host_.release();
  }

  Checked run_checked(const Call& call) override {
    const int threads = threads_asked_for(call);
    const bool has_team = threads > 1 && !uses_threads_of_library(call);
    if (has_team) {
      if (const auto why = why_no_team(threads))
        throw PointError(Verdict::no_device, why);
    }
    outputs_->poison();
    Checked checked;
    // The caller is not bound to a CPU, because a library that starts its own
    // threads at the first call does it here.
    host_.select(call.key());
    const Arrays bound = declared_by(*call.variant, all_);
    if (race_watch != nullptr) race_watch->begin();
    const auto started = threads_started();
    checked.seconds = seconds_[call.key()] =
        seconds_of([&] { run(call, bound); });
    if (has_team && threads_started() > started)
      starts_threads_.insert(call.key());
    if (race_watch != nullptr) {
      if (const auto race = race_watch->end())
        throw PointError(Verdict::wrong_result, race_of(*race, bound));
    }
    checked.outputs = outputs_->view();
    checked.damage = outputs_->damage();
    if (checked.damage) outputs_->renew_guards();
    for (const auto& array : inputs_) {
      const auto* data = static_cast<const unsigned char*>(array.data);
      auto damage = guard_damage(array.spec.name, data - guard_bytes,
                                 data + array.spec.bytes());
      if (!damage && fingerprint_of(array, omp_get_max_threads()) !=
                         fingerprints_[array.spec.name])
        damage = because(Cause::changed_input, array.spec.name);
      if (damage) {
        checked.damage = damage;
        checked.inputs_lost = true;
      }
    }
    rest_after(call);
    return checked;
  }

  Batch sample(const Call& call, const BatchPlan& plan) override {
    const bool hot = plan.cache == Cache::hot;
    const int threads = threads_asked_for(call);
    // Flushing keeps all threads busy, so only hot executions have no CPU time
    // besides the variant's.
    std::optional<CpuTime> cpu_time;
    if (hot) cpu_time.emplace(threads);
    const bool has_own = has_own_threads(call);
    std::optional<Team> team(std::in_place, threads, has_own);
    host_.select(call.key());
    const Arrays bound = declared_by(*call.variant, all_);
    const int helpers = helpers_of(call);
    const bool apart = has_own && helpers > 1;
    SignedInputs inputs(bound, helpers);
    Batch batch;
    // Clocks fall during the wait for quiet. A long execution raises them by
    // itself.
    if (hot && !plan.watched && seconds_[call.key()] < usual_batch_s)
      run(call, bound);
    std::optional<RunQueueWait> queue;
    double of_own_s = 0;
    // Written on CPUs of their own: threads that start beside a spinning one
    // would share its CPU for many milliseconds.
    const auto write = [&](const Signs& signs) {
      if (!inputs.differ(signs) || (helpers <= threads && !apart)) {
        inputs.take(signs);
        return;
      }
      team.reset();
      const auto take = [&] {
        const PinnedTeam all(helpers);
        inputs.take(signs);
      };
      cpu_time ? cpu_time->leave_out(take) : take();
      team.emplace(threads, has_own);
    };
    for (const auto& disturbance : plan.executions) {
      if (apart) wait_for_rest();
      write(disturbance.signs);
      const Changed changed(disturbance.inputs, inputs_);
      spoil(disturbance.outputs, outputs_->view());
      if (!hot) {
        flush_caches();
        team->end_others();
      }
      if (apart) make_ready(call);
      // Counting starts here, because new threads first crowd on some CPUs,
      // which is not the variant's fault.
      if (plan.watched && !queue) {
        queue.emplace(getpid());
        of_own_s = seconds_of_other_threads();
      }
      batch.seconds.push_back(seconds_of([&] { run(call, bound); }));
    }
    if (queue) {
      batch.waited_s = queue->seconds();
      // The caller may have waited for threads that it started.
      if (has_own && batch.waited_s) {
        batch.waited_s = std::max(
            0.0, *batch.waited_s - (seconds_of_other_threads() - of_own_s));
      }
      batch.threads = static_cast<int>(thread_ids(getpid()).size());
    }
    // Fingerprint at once, with the team's threads. Counting what others did
    // must wait until they sleep, which would give late writers time to finish.
    const auto left = fingerprint_of_outputs(std::min(helpers, threads));
    // Counted before inputs are written back, because a library's threads still
    // spin beside those writers.
    const auto others = cpu_time ? cpu_time->of_others() : std::nullopt;
    team.reset();
    if (inputs.differ({})) {
      const PinnedTeam all(helpers);
      inputs.take({});
    }
    if (others) throw PointError(Verdict::implausible, *others);
    batch.damage = outputs_->damage();
    if (batch.damage) outputs_->renew_guards();
    if (left != fingerprint_of_outputs_on_all_cores())
      batch.damage = {.cause = Cause::wrote_after_return};
    rest_after(call);
    return batch;
  }

  Left left_by_sample() override { return {.outputs = outputs_->view()}; }

  Repeated repeat(const Call& call, const Repetition& plan) override {
    outputs_->poison();
    const Team team(threads_asked_for(call), has_own_threads(call));
    host_.select(call.key());
    const Arrays bound = declared_by(*call.variant, all_);
    run(call, bound);  // starts threads and raises clocks
    Repeated repeated;
    plan.begins();
    do {
      for (std::int64_t i = 0; i < plan.bunch; ++i)
        run(call, bound);
      repeated.executions += plan.bunch;
    } while (!plan.enough());
    plan.ends();
    repeated.damage = outputs_->damage();
    if (repeated.damage) outputs_->renew_guards();
    repeated.outputs = outputs_->view();
    return repeated;
  }
  std::unique_ptr<EnergyMeter> energy_meter() override {
    return host_energy_meter();
  }

  bool can_time() const override { return true; }
  Ceilings ceilings(const WantedCeilings& wanted) override {
    const auto measured =
        wanted.brief ? passes_.take(wanted) : measure_host_ceilings(wanted);
    end_idle_threads();  // they would spin beside what comes next
    return measured;
  }

 private:
  // Number of threads that write inputs anew between executions: those of the
  // call, or all if few would take longer than starting all. A library's own
  // threads spin for milliseconds after each call, and those of the pool after
  // their work. Together they are more than requested and slow the library
  // down. So with a library one thread does it; if that would take longer than
  // the spinning, others do it while the library's threads sleep.
  int helpers_of(const Call& call) const {
    const int threads = threads_asked_for(call);
    std::size_t bytes = 0;
    for (const auto& array : all_)
      bytes += array.spec.bytes();
    const bool few = bytes <= most_bytes_for_one;
    if (uses_threads_of_library(call)) return few ? 1 : threads;
    return few ? threads : std::max(threads, omp_get_max_threads());
  }

  bool has_own_threads(const Call& call) const {
    return uses_threads_of_library(call) ||
           starts_threads_.contains(call.key());
  }

  // Ends OpenMP's threads, and makes those of a library wait for work again, as
  // after an earlier call.
  static void make_ready(const Call& call) {
    end_idle_threads();
    if (uses_threads_of_library(call) && wake_blas != nullptr)
      wake_blas(threads_asked_for(call));
  }

  // A library's threads spin on all CPUs, where other variants run next;
  // threads of the pool may keep the rounding mode that the variant set. Called
  // only after the last look at the outputs, because it would give late writers
  // time to finish.
  void rest_after(const Call& call) const {
    end_idle_threads();
    if (has_own_threads(call)) wait_for_rest();
  }

  std::uint64_t fingerprint_of_outputs(int threads) const {
    std::uint64_t sum = 0;
    for (const auto& array : outputs_->view())
      sum = 31 * sum + fingerprint_of(array, threads);
    return sum;
  }

  std::uint64_t fingerprint_of_outputs_on_all_cores() const {
    std::optional<PinnedTeam> all;
    const auto& arrays = outputs_->view();
    if (std::any_of(arrays.begin(), arrays.end(), [](const Array& array) {
          return array.spec.bytes() > worth_a_team;
        }))
      all.emplace(physical_cores());
    return fingerprint_of_outputs(physical_cores());
  }

  void run(const Call& call, const Arrays& bound) {
    host_.begin_run();
    // Regions without a num_threads clause get the requested number.
    const AtEnd restored(
        [before = omp_get_max_threads()] { omp_set_num_threads(before); });
    omp_set_num_threads(threads_asked_for(call));
    call.variant->run_host(host_, {&bound, call.size.data()}, call.dtype,
                           call.tunables);
  }

  // Every core overwrites twice its share of the last-level cache plus its own
  // caches.
  void flush_caches() {
    if (flush_.empty()) {
      flush_.resize(2 * last_level_cache_bytes() / sizeof(Mebibyte) +
                    8 * pinning_order().size());
    }
    const BoundThread everywhere(pinning_order());
    const std::size_t size = flush_.size();
    Mebibyte* const all = flush_.data();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t line = 0; line < sizeof(Mebibyte); line += 64)
        ++all[i].bytes[line];
    }
  }

  HostWithScratch host_;
  CeilingPasses passes_;
  Arrays inputs_, all_;
  std::unique_ptr<HostArrays> outputs_;
  std::map<std::string, std::uint64_t> fingerprints_;
  // time of each call when it was checked
  std::map<std::string, double> seconds_;
  // calls that started threads when they were checked, beside OpenMP's
  std::set<std::string> starts_threads_;
  struct Mebibyte {
    unsigned char bytes[std::size_t{1} << 20];
  };
  Untouched<Mebibyte> flush_;
};

}  // namespace

std::unique_ptr<Executor> make_host_executor() {
  return std::make_unique<HostExecutor>();
}

}  // namespace parlab
