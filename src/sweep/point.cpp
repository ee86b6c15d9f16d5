#include "sweep/point.hpp"
#include "core/numbers.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>

#include "machine/roof.hpp"
#include "machine/topology.hpp"
#include "sweep/measurement.hpp"
#include "verify/problem.hpp"

namespace parlab {
namespace {

// A median this much below the time at the roof is impossible: something did not run. A host shares
// its last-level cache and memory with others, and its roof moves with what they do.
double roof_margin(const Variant& variant) { return variant.needs_gpu() ? 0.95 : 0.8; }

// One configuration and what is known of it so far.
struct Trial {
  Call call;
  Place* place = nullptr;  // where it can run
  Verdict verdict = Verdict::unverified;
  std::string detail, library;
  LaunchShape launch;
  double estimate_s = 0;
  std::optional<TransferTimes> transfers;

  bool passed() const { return verdict == Verdict::passed; }
};

// A pending record: a trial in one cache state.
struct Entry {
  Trial* trial;
  Record record;
  bool recorded_before = false;
  std::unique_ptr<Measurement> measurement;
};

class Point {
 public:
  Point(Session& session, const PointPlan& plan, const std::function<bool()>& interrupted)
      : session_(session), plan_(plan), interrupted_(interrupted) {}

  void run();
  Estimate estimate();

 private:
  void list();
  Record blank(const Trial& trial, Cache cache) const;
  void note_time(const Call& call, double seconds);
  void verify(InputKind kind);
  void judge(Trial& trial);
  void require_memory() const;
  void set_up(InputKind kind);
  void load(Place& place);
  bool recover(Place& place);
  void fail(Place& place, const PointError& error);
  void measure(Cache cache);
  void finish(Entry& entry);
  void store(Entry& entry);
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
};

// As planned, with "all cores" said as a number.
std::vector<Tunables> resolved_configurations(const Plan& plan, const PointPlan& point,
                                              const Variant& variant) {
  auto all =
      plan.choose ? plan.choose(variant, point.size, point.dtype) : configurations(plan, variant);
  for (auto& tunables : all) {
    const auto threads = tunables.find("threads");
    if (threads != tunables.end() && threads->second == 0) threads->second = physical_cores();
  }
  return all;
}

// Of all sizes: sweeps go from small to large.
std::string configuration(const Call& call) {
  return call.key() + " " + std::string(to_string(call.dtype));
}

void Point::note_time(const Call& call, double seconds) {
  const double limit = session_.plan.point_limit_s;
  if (seconds <= limit) return;
  char text[128];
  std::snprintf(text, sizeof text, "skipped: one execution at %s took %.3g s, the limit is %.3g s",
                to_string(call.size).c_str(), seconds, limit);
  session_.too_slow.emplace(configuration(call), text);
}

Record Point::blank(const Trial& trial, Cache cache) const {
  const Variant& variant = *trial.call.variant;
  const Workload& workload = *session_.plan.workload;
  Record record;
  record.workload = variant.workload;
  record.backend = variant.backend;
  record.variant = variant.name;
  for (const auto name : workload.dimensions()) record.dimensions.emplace_back(name);
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
  record.emulated = trial.place != nullptr && !trial.place->executor->can_time();
  if (trial.place != nullptr) record.gpu = trial.place->gpu.uuid;
  return record;
}

void Point::list() {
  for (const auto* variant : plan_.variants) {
    for (const auto& tunables : resolved_configurations(session_.plan, plan_, *variant)) {
      trials_.push_back(std::make_unique<Trial>());
      Trial& trial = *trials_.back();
      trial.call = {variant, plan_.size, plan_.dtype, tunables};
      Place& place = session_.places.of(*variant, plan_.number);
      if (place.usable()) trial.place = &place;
      const auto slow = session_.too_slow.find(configuration(trial.call));
      if (slow != session_.too_slow.end()) {
        trial.verdict = Verdict::timed_out;
        trial.detail = slow->second;
      } else if (trial.place == nullptr) {
        trial.verdict = Verdict::no_device;
        trial.detail = place.why_not;
      } else if (!trial.place->can_time() && !variant->hardware.empty()) {
        trial.verdict = Verdict::not_supported;
        trial.detail = "needs " + variant->hardware + ", which cannot be emulated";
      }
    }
  }
  for (const auto cache : session_.plan.caches) {
    for (const auto& trial : trials_) {
      // Without times one cache state says as much as two.
      if (trial->place != nullptr && !timed(*trial) && cache != session_.plan.caches.front())
        continue;
      Entry entry{trial.get(), blank(*trial, cache), false, nullptr};
      const Record* old = session_.recorded(entry.record);
      // What was skipped is measured when the limit allows it now.
      if (old != nullptr &&
          (old->verdict != Verdict::timed_out || trial->verdict == Verdict::timed_out)) {
        entry.record = *old;
        entry.recorded_before = true;
        if (old->timed()) note_time(trial->call, old->summary().median);
      }
      entries_.push_back(std::move(entry));
    }
  }
}

std::vector<Place*> Point::places_in_use() const {
  std::vector<Place*> places;
  for (const auto& entry : entries_) {
    auto* place = entry.trial->place;
    if (place == nullptr || !place->usable() || entry.recorded_before) continue;
    if (entry.trial->verdict == Verdict::timed_out) continue;
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  }
  return places;
}

void Point::fail(Place& place, const PointError& error) {
  for (const auto& trial : trials_) {
    if (trial->place != &place) continue;
    trial->verdict = error.verdict;
    trial->detail = error.what();
  }
}

void Point::load(Place& place) {
  try {
    place.executor->load(problem_->inputs(), problem_->outputs());
  } catch (const PointError& error) {
    fail(place, error);
  }
}

// A device that cannot be recovered fails the rest of the sweep on it, and nothing else.
bool Point::recover(Place& place) {
  try {
    return place.executor->recover();
  } catch (const std::exception& error) {
    const std::string why =
        std::string("the device was lost when ") + "another kernel failed: " + error.what();
    for (const auto& trial : trials_) {
      if (trial->place != &place) continue;
      if (trial->passed() || trial->verdict == Verdict::unverified) {
        trial->verdict = Verdict::no_device;
        trial->detail = why;
      }
    }
    session_.lose(place, why);
    return false;
  }
}

void Point::set_up(InputKind kind) {
  problem_->fill(kind);
  for (auto* place : places_in_use()) load(*place);
}

void Point::judge(Trial& trial) {
  bool reload = false;
  try {
    const Checked checked = trial.place->executor->run_checked(trial.call);
    reload = checked.inputs_lost;
    trial.launch = checked.launch;
    trial.estimate_s = checked.seconds;
    note_time(trial.call, checked.seconds);
    trial.verdict = Verdict::passed;
    if (!checked.damage.empty()) {
      trial.verdict = Verdict::wrong_result;
      trial.detail = checked.damage;
    } else if (const auto wrong = problem_->check(checked.outputs, *trial.call.variant)) {
      trial.verdict = Verdict::wrong_result;
      trial.detail = to_string(*wrong);
    }
  } catch (const PointError& error) {
    trial.verdict = error.verdict;
    trial.detail = error.what();
    trial.library = error.library;
    reload = error.verdict == Verdict::launch_failed && recover(*trial.place);
  } catch (const std::exception& error) {
    trial.verdict = Verdict::launch_failed;
    trial.detail = error.what();
  }
  if (reload) {
    problem_->refill();
    for (auto* place : places_in_use()) load(*place);
  }
}

void Point::verify(InputKind kind) {
  set_up(kind);
  for (const auto& trial : trials_) {
    const bool wanted = std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.trial == trial.get() && !entry.recorded_before;
    });
    const bool open =
        trial->passed() || (kind == InputKind::integers && trial->verdict == Verdict::unverified);
    if (!wanted || !open || interrupted_()) continue;
    session_.observer.working_on("verifying " + trial->call.variant->full_name() + " " +
                                     to_string(plan_.size) + " " + to_string(trial->call.tunables),
                                 session_.done);
    judge(*trial);
  }
}

void Point::store(Entry& entry) {
  Trial& trial = *entry.trial;
  Record& record = entry.record;
  record.verdict = trial.verdict;
  record.detail = trial.detail;
  record.library = trial.library;
  record.launch = trial.launch;
  if (trial.passed() && entry.measurement) {
    record.seconds = entry.measurement->seconds();
    record.converged = entry.measurement->converged();
    record.discarded = entry.measurement->discarded();
    if (trial.transfers) {
      record.to_device_s = trial.transfers->to_device_s;
      record.to_host_s = trial.transfers->to_host_s;
    }
    const Work work = session_.plan.workload->work(plan_.size, plan_.dtype);
    const Variant& variant = *trial.call.variant;
    record.roof_s = roof_seconds(trial.place->ceilings, work, record.unit, record.cache);
    if (record.summary().median < roof_margin(variant) * record.roof_s)
      record.flags = {"above_roof"};
  }
  session_.passed |= record.verdict == Verdict::passed;
  session_.out_of_memory |= record.verdict == Verdict::out_of_memory;
  session_.failed |= record.verdict == Verdict::wrong_result ||
                     record.verdict == Verdict::launch_failed ||
                     record.verdict == Verdict::unverified;
  ++session_.done;
  if (session_.store) session_.store->append(record);
}

void Point::finish(Entry& entry) {
  judge(*entry.trial);
  store(entry);
  session_.observer.working_on(entry.record.point() + " " + entry.record.full_name(),
                               session_.done);
}

void Point::measure(Cache cache) {
  std::vector<Entry*> open;
  for (auto& entry : entries_) {
    if (entry.record.cache != cache || entry.recorded_before || !entry.trial->passed() ||
        !timed(*entry.trial)) {
      continue;
    }
    if (!entry.trial->transfers) {
      entry.trial->transfers = entry.trial->place->executor->transfers(*entry.trial->call.variant);
    }
    entry.measurement = std::make_unique<Measurement>(session_.plan, entry.trial->estimate_s);
    open.push_back(&entry);
  }
  while (!open.empty() && !interrupted_()) {
    for (auto* entry : open) {
      if (interrupted_()) return;
      Trial& trial = *entry->trial;
      if (!trial.passed()) {  // failed in another cache state, or its device is lost
        store(*entry);
        continue;
      }
      session_.observer.working_on(entry->record.point() + " " + entry->record.full_name() + " " +
                                       to_string(trial.call.tunables),
                                   session_.done);
      try {
        const auto start = std::chrono::steady_clock::now();
        const Batch batch =
            trial.place->executor->sample(trial.call, entry->measurement->next_batch(), cache);
        entry->measurement->add(
            batch, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      } catch (const PointError& error) {
        trial.verdict = error.verdict;
        trial.detail = error.what();
        if (error.verdict == Verdict::launch_failed && recover(*trial.place)) load(*trial.place);
      }
      if (!trial.passed()) {
        store(*entry);
      } else if (entry->measurement->finished()) {
        finish(*entry);
      }
    }
    std::erase_if(open, [](const Entry* entry) {
      return !entry->trial->passed() || entry->measurement->finished();
    });
  }
}

void Point::require_memory() const {
  const double needed =
      bytes_needed(*session_.plan.workload, plan_.size, plan_.dtype, plan_.variants);
  if (needed <= session_.plan.memory_bytes) return;
  throw PointError(Verdict::out_of_memory,
                   "needs " + bytes_with_unit(needed) + " of host memory, " +
                       bytes_with_unit(session_.plan.memory_bytes) + " are free");
}

// What one execution may take; nobody measured it yet.
double rough_seconds(const Trial& trial, const Work& work) {
  constexpr double core = 1e9, emulated = 1e7, gpu = 1e12;  // flop or bytes in a second
  const auto& [variant, size, dtype, tunables] = trial.call;
  double rate = core;
  if (variant->needs_gpu()) {
    rate = trial.place != nullptr && !trial.place->can_time() ? emulated : gpu;
  } else if (variant->backend != "serial") {
    const auto threads = tunables.find("threads");
    rate *= threads == tunables.end() ? physical_cores() : static_cast<double>(threads->second);
  }
  return (work.flops + work.bytes) / rate;
}

Estimate Point::estimate() {
  list();
  Estimate estimate{plan_.size, plan_.dtype};
  const Work work = session_.plan.workload->work(plan_.size, plan_.dtype);
  for (const auto& entry : entries_) {
    if (entry.recorded_before) continue;
    ++estimate.measurements;
    const double once = std::min(rough_seconds(*entry.trial, work), session_.plan.point_limit_s);
    constexpr double verifications = 3;
    estimate.seconds += verifications * once;
    if (!timed(*entry.trial)) continue;
    const auto& iterations = session_.plan.iterations;
    estimate.seconds += iterations ? *iterations * once : session_.plan.time_limit_s;
  }
  return estimate;
}

void Point::run() {
  list();
  const auto places = places_in_use();
  // Before anything is recorded: the roofs belong to the run.
  if (!session_.plan.verify_only &&
      std::any_of(places.begin(), places.end(), [](auto* place) { return place->can_time(); })) {
    session_.know_ceilings();
  }
  if (!places.empty()) {
    try {
      require_memory();
      problem_ = std::make_unique<Problem>(*session_.plan.workload, plan_.size, plan_.dtype,
                                           plan_.variants);
    } catch (const PointError& error) {
      for (auto* place : places) fail(*place, error);
    }
  }
  if (problem_) {
    verify(InputKind::integers);
    verify(InputKind::wide);
    verify(InputKind::uniform);
  }
  for (const auto cache : session_.plan.caches) {
    if (interrupted_()) break;
    for (auto& entry : entries_) {
      const bool untimed = !entry.trial->passed() || !timed(*entry.trial);
      if (entry.record.cache == cache && !entry.recorded_before && untimed) store(entry);
    }
    measure(cache);
    if (interrupted_()) break;
    std::vector<Record> records;
    for (const auto& entry : entries_) {
      if (entry.record.cache == cache) records.push_back(entry.record);
    }
    if (!records.empty()) session_.observer.point(records);
  }
  for (auto* place : places) place->executor->release();
}

}  // namespace

void Session::open_store() {
  store = std::make_unique<Store>(plan.results, run);
  for (const auto& warning : store->warnings()) observer.note(warning);
  if (plan.force) return;
  for (const auto& [id, known] : store->runs()) observer.run(known);
  read_elsewhere();
}

void Session::read_elsewhere() {
  auto paths = plan.resume;
  if (!store && !plan.results.empty()) paths.push_back(plan.results);
  Loaded all;
  for (const auto& path : paths) {
    if (!std::filesystem::exists(path)) continue;  // nobody has measured anything yet
    auto loaded = load_records(path);
    for (const auto& warning : loaded.warnings) observer.note(warning);
    all.runs.merge(loaded.runs);
    std::move(loaded.records.begin(), loaded.records.end(), std::back_inserter(all.records));
  }
  elsewhere = settled(std::move(all), run, true);
}

const Record* Session::recorded(const Record& record) const {
  if (plan.force) return nullptr;
  const auto key = record.key();
  for (const auto* known : {store ? &store->done() : nullptr, &elsewhere}) {
    if (known == nullptr) continue;
    const auto found = known->find(key);
    if (found != known->end()) return &found->second;
  }
  return nullptr;
}

void Session::lose(Place& place, const std::string& why) {
  place.why_not = why + "; run the same command again to go on";
  failed = true;
}

void Session::know_ceilings() {
  if (ceilings_known) return;
  ceilings_known = true;
  for (auto& place : places.all()) {
    if (!place.can_time()) continue;
    const bool host = place.target == Target::host;
    const auto& known = host ? plan.host_ceilings : plan.device_ceilings;
    place.ceilings = known ? *known : place.executor->ceilings();
    Ceilings& of_run = host ? run.host : run.device;
    if (of_run.read.empty()) of_run = place.ceilings;  // of several GPUs the first
  }
  if (store) store->describe(run);
}

Estimate estimate_point(Session& session, const PointPlan& point) {
  return Point(session, point, [] { return false; }).estimate();
}

std::size_t count_measurements(const Plan& plan, const PointPlan& point) {
  std::size_t count = 0;
  for (const auto* variant : point.variants) {
    count += resolved_configurations(plan, point, *variant).size() * plan.caches.size();
  }
  return count;
}

void run_point(Session& session, const PointPlan& point,
               const std::function<bool()>& interrupted_) {
  Point(session, point, interrupted_).run();
}

}  // namespace parlab
