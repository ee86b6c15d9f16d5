#include "sweep/point.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <span>

#include "core/numbers.hpp"
#include "facts/cause.hpp"
#include "host/blas.hpp"
#include "host/blas_in_use.hpp"
#include "machine/roof.hpp"
#include "machine/topology.hpp"
#include "places/partition.hpp"
#include "render/words.hpp"
#include "sweep/emulation.hpp"
#include "sweep/energy.hpp"
#include "sweep/measurement.hpp"
#include "verify/problem.hpp"

namespace parlab {
namespace {

// Inputs that each result is verified on, in this order; samples
// are taken on the last.
constexpr std::array input_kinds{InputKind::integers, InputKind::wide,
                                 InputKind::uniform};
// Before a time that beats it is doubted; on the host, where others may
// disturb a look unseen, more.
constexpr int looks_at_roof = 5, looks_at_roof_of_host = 15;
// Of the time spent on samples: what may go into oracles for
// executions that are checked.
constexpr double share_for_checks = 0.08;
// One of this many first rounds is checked in any case, and in
// one threads are counted.
constexpr int first_rounds = 4;
// A run for energy, with the time a device may take to warm up.
constexpr double repeat_at_most_s = 150;

double seconds_now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// One configuration and what is known of it so far.
struct Trial {
  Call call;
  Place* place = nullptr;  // where it can run
  Verdict verdict = Verdict::unverified;
  Detail detail;
  std::string library;
  LaunchShape launch;
  std::map<std::string, double> errors;  // as in Record
  double estimate_s = 0;
  std::optional<TransferTimes> transfers;
  // of an execution of a team: in transfers between its GPUs
  std::optional<double> moving_s;

  int gpus() const {
    const auto team = call.tunables.find("gpus");
    return team == call.tunables.end()
               ? 1
               : static_cast<int>(std::max(team->second, {1}));
  }
  bool passed() const { return verdict == Verdict::passed; }
};

// A pending record: a trial in one cache state.
struct Entry {
  Trial* trial;
  Record record;
  bool recorded_before = false;
  std::unique_ptr<Measurement> measurement;
  // the batch from which on threads are counted, once
  std::optional<std::int64_t> watch_at;
};

class Point {
 public:
  Point(Session& session,
        const PointPlan& plan,
        const std::function<bool()>& interrupted)
      : session_(session), plan_(plan), interrupted_(interrupted) {}

  Supervisor::Points run();
  Estimate estimate();

 private:
  void list();
  std::unique_ptr<Trial> trial_of(const Variant& variant,
                                  const TunableValues& tunables);
  static bool uses_blas(const Trial& trial);
  Entry entry_of(Trial& trial, Cache cache);
  Record blank(const Trial& trial, Cache cache) const;
  void verify(InputKind kind);
  void compare_with_square(Trial& trial);
  void judge(Trial& trial);
  void recall(Trial& trial);
  double seconds_at_most(const Trial& trial) const;
  void note_errors(Trial& trial, const Arrays& outputs);
  void require_memory() const;
  void set_up(InputKind kind);
  void load(Place& place);
  bool recover(const Trial& failed);
  bool time_transfers(Trial& trial);
  void failed_while_timed(Trial& trial, const std::exception& error);
  void fail(Place& place, const PointError& error);
  void measure(Cache cache);
  bool check_this_round(int round);
  std::vector<const Entry*> entries_to_check(const std::vector<Entry*>& open);
  bool inputs_are_damaged(Trial& trial);
  void take_batch(Entry& entry, bool check, bool again = false);
  std::vector<Entry*> waiting_for_energy();
  bool may_have_energy(Entry& entry);
  void measure_energy(std::span<Entry* const> group);
  void run_for_energy(Entry& entry, EnergyRuns& runs);
  void verify_again();
  void add_samples(Entry& entry) const;
  void hold_against_roof(Entry& entry);
  void store(Entry& entry);
  void store_of(std::span<Entry* const> group, bool others);
  void store_all();
  bool timed(const Trial& trial) const {
    return trial.place != nullptr && trial.place->executor->can_time() &&
           !session_.plan.verify_only;
  }
  std::vector<Place*> places_in_use() const;

  Session& session_;
  const PointPlan& plan_;
  const std::function<bool()>& interrupted_;
  std::vector<std::unique_ptr<Trial>> trials_;
  std::vector<Entry> entries_;
  std::unique_ptr<Problem> problem_;
  Secret secret_;
  double sampling_s_ = 0, checking_s_ = 0;
  // Times are complete, and their results were right afterwards: a device
  // that is lost now costs no more than joules.
  bool proven_ = false;
  std::map<const Place*, std::string> no_energy_;  // why no more of it
};

// What one execution may take; nobody measured it yet.
double rough_seconds(const Trial& trial, const Work& work) {
  // flop or bytes per second
  constexpr double core = 1e9, emulated = 1e7, gpu = 1e12;
  const auto& [variant, size, dtype, tunables] = trial.call;
  double rate = core;
  if (variant->needs_gpu()) {
    rate = trial.place != nullptr && !trial.place->can_time() ? emulated : gpu;
  } else if (variant->backend != "serial") {
    const auto threads = tunables.find("threads");
    rate *= threads == tunables.end() ? physical_cores()
                                      : static_cast<double>(threads->second);
  }
  return (work.flops + work.bytes) / rate;
}

// As planned, with "all cores" said as a number.
std::vector<TunableValues> resolved_configurations(const Plan& plan,
                                                   const PointPlan& point,
                                                   const Variant& variant) {
  auto all = plan.choose ? plan.choose(variant, point.size, point.dtype)
                         : configurations(plan, variant);
  for (auto& tunables : all) {
    const auto threads = tunables.find("threads");
    if (threads == tunables.end()) continue;
    if (threads->second == 0) threads->second = physical_cores();
    threads->second =
        std::min<std::int64_t>(threads->second, omp_get_thread_limit());
  }
  std::vector<TunableValues> different;
  for (auto& tunables : all) {
    if (std::find(different.begin(), different.end(), tunables) ==
        different.end()) {
      different.push_back(std::move(tunables));
    }
  }
  return different;
}

// Without times one cache state says as much as two. place: none where
// nothing can run.
std::vector<Cache> caches_of(const Plan& plan, const Place* place) {
  const bool timed =
      place == nullptr || (place->executor->can_time() && !plan.verify_only);
  return {plan.caches.begin(),
          timed ? plan.caches.end() : plan.caches.begin() + 1};
}

// A team that is smaller than what was asked for, or has less to run on.
std::string why_fewer_threads(const Plan& plan, const TunableValues& tunables) {
  const auto asked = plan.tunables.find("threads");
  const auto threads = tunables.find("threads");
  if (asked == plan.tunables.end() || threads == tunables.end()) return "";
  const auto most =
      *std::max_element(asked->second.begin(), asked->second.end());
  if (most > omp_get_thread_limit()) {
    return "OMP_THREAD_LIMIT=" + std::to_string(omp_get_thread_limit()) +
           ": no larger team runs, or is recorded";
  }
  if (most <= cpus_allowed()) return "";
  return "threads " + std::to_string(most) + ": they share " +
         std::to_string(cpus_allowed()) +
         " CPUs, as many as the affinity and the control group of this process "
         "allow";
}

// One configuration, as the supervisor calls it: "dmv/serial/plain
// float 64x64 threads=2".
std::string name_of(const Call& call) {
  const auto tunables = to_string(call.tunables);
  return call.variant->full_name() + " " + std::string(to_string(call.dtype)) +
         " " + to_string(call.size) + (tunables.empty() ? "" : " ") + tunables;
}

Record Point::blank(const Trial& trial, Cache cache) const {
  const Variant& variant = *trial.call.variant;
  const Workload& workload = *session_.plan.workload;
  Record record;
  record.workload = variant.workload;
  record.backend = variant.backend;
  record.variant = variant.name;
  for (const auto name : workload.dimensions())
    record.dimensions.emplace_back(name);
  record.size = plan_.size;
  record.dtype = plan_.dtype;
  record.unit = variant.unit(plan_.dtype);
  record.arithmetic = variant.arithmetic_in(record.dtype);
  record.tunables = trial.call.tunables;
  record.cache = cache;
  record.source = variant.source;
  record.source_hash = variant.source_hash;
  const Work work = workload.work(plan_.size, plan_.dtype);
  record.flops = work.flops;
  record.bytes = work.bytes;
  record.run = session_.run.id;
  record.from_host = variant.from_host();
  record.emulated =
      trial.place != nullptr && !trial.place->executor->can_time();
  if (trial.place != nullptr) record.gpu = trial.place->gpu.uuid;
  return record;
}

// What is known of it from earlier points, and from workers that died.
void Point::recall(Trial& trial) {
  const auto variant = trial.call.variant->full_name();
  if (session_.supervisor != nullptr) {
    if (const auto* ended = session_.supervisor->ended(name_of(trial.call))) {
      trial.verdict = ended->verdict;
      trial.detail = detail_of_text(ended->why);
      compare_with_square(trial);
      return;
    }
    if (const auto* why = session_.supervisor->endless(variant)) {
      session_.endless.emplace(variant, detail_of_text(*why));
    }
  }
  const auto slow = session_.too_slow.find(
      configuration(variant, trial.call.tunables, plan_.dtype));
  const auto endless = session_.endless.find(variant);
  if (endless == session_.endless.end() && slow == session_.too_slow.end())
    return;
  trial.verdict = Verdict::timed_out;
  trial.detail =
      endless != session_.endless.end() ? endless->second : slow->second;
}

// How long an execution may take before it counts as endless.
double Point::seconds_at_most(const Trial& trial) const {
  constexpr double at_least_s = 60, times_expected = 50;
  if (const auto& limit = session_.plan.execution_limit_s) return *limit;
  const Work work = session_.plan.workload->work(plan_.size, plan_.dtype);
  return at_least_s + times_expected * rough_seconds(trial, work);
}

std::unique_ptr<Trial> Point::trial_of(const Variant& variant,
                                       const TunableValues& tunables) {
  auto trial = std::make_unique<Trial>();
  trial->call = {&variant, plan_.size, plan_.dtype, tunables};
  Place& place = session_.places.of(variant, plan_.number);
  if (place.usable()) trial->place = &place;
  const auto team = trial->call.tunables.find("gpus");
  if (place.usable() && team != trial->call.tunables.end() &&
      team->second == 0) {
    // Emulated teams are there to be looked at, and not for their time.
    const int all = place.executor->gpus();
    const auto& workload = *session_.plan.workload;
    team->second =
        place.can_time()
            ? gpus_that_pay(workload, variant, plan_.size, plan_.dtype, all)
            : all;
    if (team->second < all) {
      session_.note_once(variant.full_name() + " uses one GPU below " +
                         bytes_with_unit(variant.pays_from) +
                         ", where two were no faster; --gpus " +
                         std::to_string(all) + " uses all");
    }
  }
  recall(*trial);
  if (trial->verdict != Verdict::unverified) return trial;
  if (trial->place == nullptr) {
    trial->verdict = Verdict::no_device;
    trial->detail = place.why_not;
  } else if (!trial->place->can_time() && !variant.hardware.empty()) {
    trial->verdict = Verdict::not_supported;
    trial->detail =
        other("needs " + variant.hardware + ", which cannot be emulated");
  }
  return trial;
}

// The BLAS of the host, of which there are several.
bool Point::uses_blas(const Trial& trial) {
  return trial.call.variant->backend == "blas" && trial.place != nullptr &&
         trial.place->target == Target::host;
}

Entry Point::entry_of(Trial& trial, Cache cache) {
  Entry entry{&trial, blank(trial, cache), false, nullptr, std::nullopt};
  const Record* old = session_.recorded(entry.record);
  if (old == nullptr) return entry;
  // What was skipped is measured when the limit allows it now.
  const bool skipped = old->verdict == Verdict::timed_out && !was_endless(*old);
  if (skipped && trial.verdict != Verdict::timed_out) return entry;
  // Of others joules are not measured, whoever asks.
  const bool has_joules =
      cache == Cache::hot && !trial.call.variant->needs_team();
  if (session_.plan.energy && has_joules && old->timed() && !old->energy)
    return entry;
  // With another library the time is another one.
  const bool passed = old->verdict == Verdict::passed;
  if (uses_blas(trial) && passed && !old->library.empty()) {
    if (!is_blas_in_use(old->library)) return entry;
    session_.note_blas();
  }
  session_.learn(*old);
  entry.record = *old;
  entry.recorded_before = true;
  session_.count(*old);
  return entry;
}

void Point::list() {
  for (const auto* variant : plan_.variants) {
    for (const auto& tunables :
         resolved_configurations(session_.plan, plan_, *variant)) {
      const auto why = why_fewer_threads(session_.plan, tunables);
      if (!why.empty()) session_.note_once(why);
      trials_.push_back(trial_of(*variant, tunables));
    }
  }
  for (const auto cache : session_.plan.caches) {
    for (const auto& trial : trials_) {
      const auto caches = caches_of(session_.plan, trial->place);
      if (std::find(caches.begin(), caches.end(), cache) != caches.end())
        entries_.push_back(entry_of(*trial, cache));
    }
  }
}

std::vector<Place*> Point::places_in_use() const {
  std::vector<Place*> places;
  for (const auto& entry : entries_) {
    auto* place = entry.trial->place;
    if (place == nullptr || !place->usable() || entry.recorded_before) continue;
    if (entry.trial->verdict == Verdict::timed_out) continue;
    if (std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(place);
  }
  return places;
}

void Point::fail(Place& place, const PointError& error) {
  if (proven_) {
    no_energy_.emplace(&place, error.what());
    return;
  }
  for (const auto& trial : trials_) {
    if (trial->place != &place) continue;
    trial->verdict = error.verdict;
    trial->detail = error.detail;
  }
}

void Point::load(Place& place) {
  try {
    place.executor->load(problem_->inputs(), problem_->outputs());
  } catch (const PointError& error) {
    fail(place, error);
  }
}

// A device that cannot be recovered by this process is whole again for
// the next worker. Where there is none, the rest of the sweep on it
// fails, and nothing else.
bool Point::recover(const Trial& failed) {
  Place& place = *failed.place;
  try {
    return place.executor->recover();
  } catch (const std::exception& error) {
    if (session_.supervisor != nullptr && session_.supervisor->may_leave()) {
      session_.supervisor->leave(name_of(failed.call),
                                 to_string(failed.detail));
    }
    const std::string lost =
        std::string("the device was lost when another kernel failed: ") +
        error.what();
    const auto why = lost + "; run the same command again to go on";
    session_.lose(place, why);
    if (proven_) {
      no_energy_.emplace(&place, lost);
      return false;
    }
    for (const auto& trial : trials_) {
      if (trial->place != &place) continue;
      if (trial->passed() || trial->verdict == Verdict::unverified) {
        trial->verdict = Verdict::no_device;
        trial->detail = other(why);
      }
    }
    return false;
  }
}

void Point::set_up(InputKind kind) {
  problem_->fill(kind);
  for (auto* place : places_in_use())
    load(*place);
}

void Point::note_errors(Trial& trial, const Arrays& outputs) {
  const auto largest = problem_->largest_error(outputs, *trial.call.variant);
  if (!largest) return;
  trial.errors[error_name(problem_->kind(), true)] = largest->of_bound;
  trial.errors[error_name(problem_->kind(), false)] = largest->of_rounding;
}

void Point::judge(Trial& trial) {
  bool reload = false;
  try {
    const Checked checked = [&] {
      const Supervisor::Execution execution(
          session_.supervisor, name_of(trial.call), seconds_at_most(trial));
      return trial.place->executor->run_checked(trial.call);
    }();
    reload = checked.inputs_lost;
    trial.launch = checked.launch;
    trial.estimate_s = checked.seconds;
    session_.note_time(configuration(trial.call.variant->full_name(),
                                     trial.call.tunables, plan_.dtype),
                       plan_.size, checked.seconds);
    trial.verdict = Verdict::passed;
    if (checked.damage) {
      trial.verdict = Verdict::wrong_result;
      trial.detail = checked.damage;
    } else if (const auto wrong =
                   problem_->check(checked.outputs, *trial.call.variant)) {
      trial.verdict = Verdict::wrong_result;
      trial.detail = other(to_string(*wrong));
    } else {
      note_errors(trial, checked.outputs);
    }
  } catch (const PointError& error) {
    trial.verdict = error.verdict;
    trial.detail = error.detail;
    trial.library = error.library;
    reload = error.verdict == Verdict::launch_failed && recover(trial);
    if (error.verdict == Verdict::timed_out) {
      trial.detail = {.cause = Cause::ended, .further = {trial.detail}};
      session_.endless.emplace(trial.call.variant->full_name(), trial.detail);
    }
  } catch (const std::exception& error) {
    trial.verdict = Verdict::launch_failed;
    trial.detail = other(error.what());
  }
  if (reload) {
    problem_->refill();
    for (auto* place : places_in_use())
      load(*place);
  }
}

// A variant that is right at a square only may have taken
// one extent for another.
void Point::compare_with_square(Trial& trial) {
  const auto name = trial.call.variant->full_name();
  if (is_square(*session_.plan.workload, plan_.size)) {
    if (trial.passed()) session_.right_at_square[name] = plan_.size;
    return;
  }
  const auto square = session_.right_at_square.find(name);
  if (trial.passed() || square == session_.right_at_square.end()) return;
  trial.detail.further.push_back(
      other("at " + to_string(square->second) +
            " it passed: is one extent taken for another?"));
}

void Point::verify(InputKind kind) {
  set_up(kind);
  for (const auto& trial : trials_) {
    const bool wanted =
        std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
          return entry.trial == trial.get() && !entry.recorded_before;
        });
    const bool open =
        trial->passed() ||
        (kind == input_kinds.front() && trial->verdict == Verdict::unverified);
    if (!wanted || !open || interrupted_()) continue;
    session_.observer.working_on(
        "verifying " + trial->call.variant->full_name() + " " +
            to_string(plan_.size) + " " + to_string(trial->call.tunables),
        session_.done);
    // another configuration of it may have been ended
    if (!trial->passed()) recall(*trial);
    if (trial->verdict == Verdict::timed_out) continue;
    judge(*trial);
    compare_with_square(*trial);
  }
}

// An impossible time is no time.
void doubt_time(Record& record) {
  const double median = record.summary().median;
  char text[160];
  std::snprintf(text, sizeof text,
                "%.4g us is %.3g times as fast as the roof allows (%.4g us): "
                "it cannot have done the "
                "work, or the roof was measured badly",
                1e6 * median, record.roof_s / median, 1e6 * record.roof_s);
  record.verdict = Verdict::implausible;
  record.detail = other(text);
  record.seconds.clear();
  record.energy.reset();
  record.converged = false;
}

void Point::add_samples(Entry& entry) const {
  const Trial& trial = *entry.trial;
  Record& record = entry.record;
  record.seconds = entry.measurement->seconds();
  record.batches = entry.measurement->batches();
  record.between_runs = trial.place->ceilings.between_runs;
  record.converged = entry.measurement->converged();
  record.discarded = entry.measurement->discarded();
  record.apart = entry.measurement->apart();
  record.moving_s = trial.moving_s;
  if (trial.transfers) {
    record.to_device_s = trial.transfers->to_device_s;
    record.to_host_s = trial.transfers->to_host_s;
    record.to_device_pinned_s = trial.transfers->to_device_pinned_s;
    record.to_host_pinned_s = trial.transfers->to_host_pinned_s;
  }
}

void Point::hold_against_roof(Entry& entry) {
  const Variant& variant = *entry.trial->call.variant;
  Place& place = *entry.trial->place;
  Record& record = entry.record;
  const int gpus = entry.trial->gpus();
  const Work work =
      share_of(session_.plan.workload->work(plan_.size, plan_.dtype), gpus);
  const double moved =
      variant.travels == nullptr
          ? 0
          : variant.travels(plan_.size.data(), plan_.dtype, gpus);
  // Of a variant whose arrays are the host's each crosses the link once.
  double from_host = 0, to_host = 0;
  if (variant.from_host()) {
    for (const auto& array :
         session_.plan.workload->arrays(plan_.size, plan_.dtype)) {
      if (variant.reads(array)) from_host += static_cast<double>(array.bytes());
      if (variant.writes(array)) to_host += static_cast<double>(array.bytes());
    }
  }
  const double margin =
      roof_margin(variant.needs_gpu(), session_.run.others_at_work);
  const auto beats_roof = [&] {
    record.roof_s =
        std::max({roof_seconds(place.ceilings, work, record.unit, record.cache),
                  link_seconds(place.ceilings, moved),
                  host_link_seconds(place.ceilings, from_host, to_host)});
    return record.summary().median * margin < record.roof_s;
  };
  // A roof may have been measured badly, also several times: that is
  // looked at before the time is doubted.
  const int looks = variant.needs_gpu() ? looks_at_roof : looks_at_roof_of_host;
  for (int look = 0; beats_roof(); ++look) {
    if (look == looks) return doubt_time(record);
    try {
      session_.raise_ceilings(place,
                              wanted_for(work, record.unit, record.cache));
    } catch (const PointError& error) {
      session_.note_once(std::string("a roof could not be measured again: ") +
                         error.what());
      return doubt_time(record);
    }
  }
}

void Point::store(Entry& entry) {
  const Trial& trial = *entry.trial;
  Record& record = entry.record;
  record.verdict = trial.verdict;
  record.detail = trial.detail;
  record.library = trial.library;
  record.launch = trial.launch;
  if (!trial.passed()) record.energy.reset();
  if (trial.passed()) {
    record.errors = trial.errors;
    // Several libraries can be the BLAS of a host: this says which one it was.
    if (uses_blas(trial)) {
      record.library = Blas::loaded();
      session_.note_blas();
    }
    if (entry.measurement) {
      add_samples(entry);
      hold_against_roof(entry);
    }
  }
  session_.count(record);
  if (session_.store) session_.store->append(record);
}

// Each checked round needs an oracle of its own: only as many are checked as
// the time allows, but at least one of the first. Nobody may foresee which.
bool Point::check_this_round(int round) {
  if (checking_s_ > share_for_checks * sampling_s_ && checking_s_ > 0)
    return false;
  const int left = first_rounds - round;
  return secret_.chance(left > 0 ? 1.0 / left : 0.5);
}

// One configuration of each variant per round: a change is new
// to a variant only once.
std::vector<const Entry*> Point::entries_to_check(
    const std::vector<Entry*>& open) {
  std::map<const Variant*, std::vector<const Entry*>> by_variant;
  for (const auto* entry : open)
    by_variant[entry->trial->call.variant].push_back(entry);
  std::vector<const Entry*> chosen;
  for (const auto& [variant, entries] : by_variant) {
    const auto count = static_cast<std::int64_t>(entries.size());
    chosen.push_back(entries[static_cast<std::size_t>(secret_.below(count))]);
  }
  return chosen;
}

bool Point::inputs_are_damaged(Trial& trial) {
  const Supervisor::Execution execution(
      session_.supervisor, name_of(trial.call), seconds_at_most(trial));
  return trial.place->executor->run_checked(trial.call).inputs_lost;
}

// One batch of samples. When it is to be checked it ends at an execution
// that nobody foresees, whose result is looked at. again: after a wrong one,
// with executions before it that may damage its inputs.
void Point::take_batch(Entry& entry, bool check, bool again) {
  Trial& trial = *entry.trial;
  std::int64_t count = entry.measurement->next_batch();
  if (check) count = 1 + secret_.below(count);
  if (again) count = std::max<std::int64_t>(count, 3);
  // Not both: to count threads is to wait until they sleep, and late
  // writers would have time to end.
  const auto batches =
      static_cast<std::int64_t>(entry.measurement->batches().size());
  const bool watch = !check && entry.watch_at && batches >= *entry.watch_at;
  if (watch) entry.watch_at.reset();
  BatchPlan plan{entry.record.cache, {}, check, watch};
  for (std::int64_t i = 0; i < count; ++i) {
    plan.executions.push_back(problem_->disturbance(secret_));
  }
  if (check) plan.executions.back().inputs = problem_->changes();
  // Waits busily: a core or a device that rests lowers its clock.
  while (seconds_now() < entry.measurement->next_start_s() && !interrupted_())
    continue;
  const double start_s = seconds_now();
  try {
    const Batch batch = [&] {
      const Supervisor::Execution execution(
          session_.supervisor, name_of(trial.call),
          static_cast<double>(count) * seconds_at_most(trial));
      return trial.place->executor->sample(trial.call, plan);
    }();
    const double end_s = seconds_now();
    sampling_s_ += end_s - start_s;
    if (batch.damage) {
      trial.verdict = Verdict::wrong_result;
      trial.detail = batch.damage;
    } else if (check) {
      const auto wrong =
          problem_->check_changed(batch.outputs, *trial.call.variant);
      // Alone on new inputs it is looked at once more, where they were no
      // longer what they had been: another variant may have damaged them.
      if (wrong && !again && inputs_are_damaged(trial)) {
        problem_->refill();
        problem_->change(secret_);
        for (auto* place : places_in_use())
          load(*place);
        return take_batch(entry, true, true);
      }
      if (wrong) {
        trial.verdict = Verdict::wrong_result;
        trial.detail = other("in a timed execution " + to_string(*wrong));
      }
      checking_s_ += seconds_now() - end_s;
    }
    if (!trial.passed()) {  // its inputs may be those that it damaged
      problem_->refill();
      for (auto* place : places_in_use())
        load(*place);
    }
    entry.measurement->add(batch, start_s, end_s);
  } catch (const std::exception& error) {
    failed_while_timed(trial, error);
  }
}

// Whether they could be timed. How long a GPU of a team is in transfers
// is left out where it cannot be told: whether the variant runs is
// for its samples to say.
bool Point::time_transfers(Trial& trial) {
  Executor& executor = *trial.place->executor;
  const Supervisor::Execution execution(
      session_.supervisor, name_of(trial.call), seconds_at_most(trial));
  try {
    if (!trial.transfers) trial.transfers = executor.transfers(trial.call);
  } catch (const std::exception& error) {
    failed_while_timed(trial, error);
    return false;
  }
  try {
    if (!trial.moving_s)
      trial.moving_s = executor.seconds_of_transfers(trial.call);
  } catch (const std::exception&) {
    trial.moving_s = std::nullopt;
  }
  return true;
}

// Whatever a variant throws is its own failure.
void Point::failed_while_timed(Trial& trial, const std::exception& error) {
  const auto* known = dynamic_cast<const PointError*>(&error);
  trial.verdict = known ? known->verdict : Verdict::launch_failed;
  trial.detail = known ? known->detail : other(error.what());
  if (trial.verdict == Verdict::launch_failed && recover(trial))
    load(*trial.place);
}

void Point::measure(Cache cache) {
  std::vector<Entry*> open;
  for (auto& entry : entries_) {
    if (entry.record.cache != cache || entry.recorded_before ||
        !entry.trial->passed() || !timed(*entry.trial)) {
      continue;
    }
    if (!time_transfers(*entry.trial)) continue;
    entry.measurement =
        std::make_unique<Measurement>(session_.plan, entry.trial->estimate_s);
    entry.watch_at = secret_.below(first_rounds);
    open.push_back(&entry);
  }
  for (int round = 0; !open.empty() && !interrupted_(); ++round) {
    std::vector<const Entry*> checked;
    if (check_this_round(round)) {
      problem_->change(secret_);
      checked = entries_to_check(open);
    }
    // In another order each round: after a light kernel a heavy one finds
    // a cool device, and power to spare.
    for (std::size_t left = open.size(); left > 1; --left) {
      const auto chosen = secret_.below(static_cast<std::int64_t>(left));
      std::swap(open[left - 1], open[static_cast<std::size_t>(chosen)]);
    }
    for (auto* entry : open) {
      if (interrupted_()) return;
      // failed in another cache state, or lost its device
      if (!entry->trial->passed()) continue;
      session_.observer.working_on(entry->record.point() + " " +
                                       entry->record.full_name() + " " +
                                       to_string(entry->trial->call.tunables),
                                   session_.done);
      take_batch(*entry, std::find(checked.begin(), checked.end(), entry) !=
                             checked.end());
    }
    // While power is capped, the clock of a kernel depends on its
    // neighbours: all stay to the end.
    const bool capped = std::any_of(
        open.begin(), open.end(),
        [](const Entry* entry) { return entry->measurement->capped(); });
    std::erase_if(open, [&](const Entry* entry) {
      const auto& measurement = *entry->measurement;
      return !entry->trial->passed() ||
             (capped ? measurement.exhausted() : measurement.finished());
    });
    if (std::all_of(open.begin(), open.end(), [](const Entry* entry) {
          return entry->measurement->finished();
        })) {
      open.clear();
    }
  }
}

// Seconds of executions in place of one, for its energy. What they
// leave behind must be right.
void Point::run_for_energy(Entry& entry, EnergyRuns& runs) {
  Trial& trial = *entry.trial;
  EnergyGauge& gauge = session_.gauge_of(*trial.place, interrupted_);
  auto& energy = *entry.record.energy;
  const double once_s = median(entry.measurement->seconds());
  try {
    const auto run = gauge.run(
        once_s,
        [&](const Repetition& repetition) {
          const Supervisor::Execution execution(
              session_.supervisor, name_of(trial.call),
              seconds_at_most(trial) + repeat_at_most_s);
          return trial.place->executor->repeat(trial.call, repetition);
        },
        interrupted_);
    if (interrupted_()) return;
    const auto wrong = problem_->check(run.left.outputs, *trial.call.variant);
    if (run.left.damage || wrong) {
      trial.verdict = Verdict::wrong_result;
      trial.detail =
          other("when its energy was measured, " +
                (run.left.damage ? words(run.left.damage) : to_string(*wrong)));
      problem_->refill();
      for (auto* place : places_in_use())
        load(*place);
      return;
    }
    runs.add(run.joules, run.seconds);
    energy = runs.energy();
  } catch (const NoEnergy& error) {
    energy.absent = other(error.what());
  } catch (const std::exception& error) {
    failed_while_timed(trial, error);
  }
  energy.source = gauge.source();
  energy.idle_w = gauge.idle_w();
}

// Those of which joules are measured, if they can be; of the others
// it says why not.
std::vector<Entry*> Point::waiting_for_energy() {
  std::vector<Entry*> waiting;
  if (!session_.plan.energy) return waiting;
  for (auto& entry : entries_) {
    if (!entry.measurement || !entry.trial->passed()) continue;
    auto& energy = entry.record.energy.emplace();
    if (entry.record.cache == Cache::cold) {
      energy.absent = other(
          "caches are flushed before each execution, which takes energy, too");
    } else {
      waiting.push_back(&entry);
    }
  }
  return waiting;
}

// Not when it has failed meanwhile. Not without a meter, or when its device
// has failed, which is noted.
bool Point::may_have_energy(Entry& entry) {
  Place& place = *entry.trial->place;
  auto& absent = entry.record.energy->absent;
  const auto why = no_energy_.find(&place);
  if (why != no_energy_.end()) absent = other(why->second);
  const auto& of_gauge = session_.gauge_of(place, interrupted_).absent();
  if (!absent && !of_gauge.empty()) absent = other(of_gauge);
  return entry.trial->passed() && !absent;
}

// In turns, as samples are taken: a drift of the machine falls on all of them.
void Point::measure_energy(std::span<Entry* const> group) {
  std::vector<std::pair<Entry*, EnergyRuns>> open;
  for (auto* entry : group)
    open.emplace_back(entry, EnergyRuns{});
  while (!open.empty() && !interrupted_()) {
    for (auto& [entry, runs] : open) {
      if (interrupted_()) break;
      if (!may_have_energy(*entry)) continue;
      session_.observer.working_on("energy of " + entry->record.full_name() +
                                       " " +
                                       to_string(entry->trial->call.tunables),
                                   session_.done);
      run_for_energy(*entry, runs);
    }
    std::erase_if(open, [&](const auto& one) {
      const auto& [entry, runs] = one;
      return runs.finished() || !may_have_energy(*entry);
    });
  }
  // These were interrupted: they have their times.
  for (auto& [entry, runs] : open)
    entry->record.energy.reset();
}

// The records of these trials; others: of all but these.
void Point::store_of(std::span<Entry* const> group, bool others) {
  for (auto& entry : entries_) {
    const bool of_group = std::any_of(
        group.begin(), group.end(),
        [&](const Entry* one) { return one->trial == entry.trial; });
    if (!entry.recorded_before && of_group != others) store(entry);
  }
}

// Joules take half a minute for each, so that what has none is stored before,
// and each group as soon as it has them: whoever interrupts the next ones loses
// no others. A trial that is found wrong meanwhile is so in all cache states.
void Point::store_all() {
  const auto waiting = waiting_for_energy();
  store_of(waiting, true);
  proven_ = true;
  // verified on other inputs last
  if (std::any_of(waiting.begin(), waiting.end(),
                  [&](Entry* entry) { return may_have_energy(*entry); })) {
    set_up(input_kinds.back());
  }
  constexpr std::size_t in_turns = 4;
  for (std::size_t i = 0; i < waiting.size(); i += in_turns) {
    const auto group =
        std::span(waiting).subspan(i, std::min(in_turns, waiting.size() - i));
    measure_energy(group);
    store_of(group, false);
  }
}

// After the samples: on all kinds of inputs once more, and once
// as a timed execution is.
void Point::verify_again() {
  for (auto kind = input_kinds.rbegin(); kind != input_kinds.rend(); ++kind) {
    // the samples were taken on these
    const bool loaded = kind == input_kinds.rbegin();
    if (!loaded) set_up(*kind);
    problem_->change(secret_);
    std::set<const Trial*> judged;  // once, whatever cache states it has
    for (auto& entry : entries_) {
      if (!entry.measurement || !entry.trial->passed() || interrupted_())
        continue;
      session_.observer.working_on("verifying " + entry.record.full_name(),
                                   session_.done);
      if (judged.insert(entry.trial).second) judge(*entry.trial);
      // Wide inputs have a structure that changes would break.
      if (!entry.trial->passed() || *kind == InputKind::wide) continue;
      // Its samples are not counted; a few executions will do.
      auto measurement = std::move(entry.measurement);
      entry.measurement = std::make_unique<Measurement>(session_.plan, 1);
      take_batch(entry, true);
      entry.measurement = std::move(measurement);
    }
  }
}

void Point::require_memory() const {
  double needed = bytes_needed(*session_.plan.workload, plan_.size, plan_.dtype,
                               plan_.variants);
  // What begins and ends in host memory has arrays of its own there.
  const bool twice =
      std::any_of(plan_.variants.begin(), plan_.variants.end(),
                  [](const Variant* variant) { return variant->from_host(); });
  if (twice) needed *= 2;
  if (needed <= session_.plan.memory_bytes) return;
  throw PointError(Verdict::out_of_memory,
                   "needs " + bytes_with_unit(needed) + " of host memory, " +
                       bytes_with_unit(session_.plan.memory_bytes) +
                       " are free");
}

Estimate Point::estimate() {
  list();
  Estimate estimate{plan_.size, plan_.dtype};
  const Work work = session_.plan.workload->work(plan_.size, plan_.dtype);
  for (const auto& entry : entries_) {
    if (entry.recorded_before) continue;
    ++estimate.measurements;
    const double once = std::min(rough_seconds(*entry.trial, work),
                                 session_.plan.point_limit_s);
    constexpr double verifications = 3;
    estimate.seconds += verifications * once;
    if (!timed(*entry.trial)) continue;
    const auto& iterations = session_.plan.iterations;
    estimate.seconds +=
        iterations ? *iterations * once : session_.plan.time_limit_s;
    const bool hot = entry.record.cache == Cache::hot;
    if (session_.plan.energy && hot)
      estimate.seconds += energy_seconds_expected;
  }
  return estimate;
}

Supervisor::Points Point::run() {
  list();
  const auto places = places_in_use();
  // Before anything is recorded, also of a place that has no times: the roofs
  // belong to the run.
  const auto& all = session_.places.all();
  if (!session_.plan.verify_only &&
      std::any_of(entries_.begin(), entries_.end(),
                  [](const auto& entry) { return !entry.recorded_before; }) &&
      std::any_of(all.begin(), all.end(),
                  [](const auto& place) { return place.can_time(); })) {
    session_.know_ceilings();
  }
  if (!places.empty()) {
    try {
      require_memory();
      problem_ = std::make_unique<Problem>(*session_.plan.workload, plan_.size,
                                           plan_.dtype, plan_.variants,
                                           session_.plan.seed);
    } catch (const PointError& error) {
      for (auto* place : places)
        fail(*place, error);
    }
  }
  if (problem_) {
    for (const auto kind : input_kinds)
      verify(kind);
  }
  for (const auto cache : session_.plan.caches)
    measure(cache);
  if (problem_) verify_again();
  if (!interrupted_()) store_all();
  Supervisor::Points points;
  for (const auto cache : session_.plan.caches) {
    if (interrupted_()) break;
    std::vector<Record> records;
    for (const auto& entry : entries_) {
      if (entry.record.cache == cache) records.push_back(entry.record);
    }
    if (records.empty()) continue;
    session_.observer.point(records);
    points.push_back(std::move(records));
  }
  for (auto* place : places)
    place->executor->release();
  return points;
}

}  // namespace

Estimate estimate_point(Session& session, const PointPlan& point) {
  return Point(session, point, [] { return false; }).estimate();
}

std::size_t count_measurements(const Plan& plan,
                               Places& places,
                               const PointPlan& point) {
  std::size_t count = 0;
  for (const auto* variant : point.variants) {
    const Place& place = places.of(*variant, point.number);
    count += resolved_configurations(plan, point, *variant).size() *
             caches_of(plan, place.usable() ? &place : nullptr).size();
  }
  return count;
}

Supervisor::Points run_point(Session& session,
                             const PointPlan& point,
                             const std::function<bool()>& interrupted_) {
  return Point(session, point, interrupted_).run();
}

void repeat_point(Session& session, const Supervisor::Points& points) {
  for (const auto& records : points) {
    for (const auto& record : records) {
      session.count(record);
      session.learn(record);
      if (record.verdict == Verdict::passed &&
          is_square(*session.plan.workload, record.size)) {
        session.right_at_square[record.full_name()] = record.size;
      }
    }
    session.observer.point(records);
  }
}

}  // namespace parlab
