#include <algorithm>
#include <set>

#include "core/clock.hpp"
#include "host/blas.hpp"
#include "machine/roof.hpp"
#include "sweep/phases.hpp"
#include "sweep/roof_watch.hpp"

namespace parlab {
namespace {

// Whether roofs must be known before anything is recorded. They belong to the
// run, so records of places without times need them, too.
bool needs_ceilings(Session& session, const Listing& listing) {
  const auto& places = session.places.all();
  return !session.plan.verify_only &&
         !std::ranges::all_of(listing.pending, &Pending::recorded_before) &&
         std::ranges::any_of(places, &Place::can_time);
}

// How often the roof is measured again before a time that beats it is
// rejected; more often on the host, where other programs interfere unnoticed.
constexpr int looks_at_roof = 5, looks_at_roof_of_host = 15;

// Removes an impossible time. Other programs can make a roof too slow, by a
// factor of about three. Within that factor the variant is not blamed, and the
// point is measured again.
void doubt_time(Record& record, int others) {
  const double median = record.summary().median;
  const bool roof_is_slow =
      others > 0 && median * busy_host_slowdown >= record.roof_s;
  if (!roof_is_slow) record.verdict = Verdict::implausible;
  record.detail = because(Cause::beats_roof, quantity(median, Unit::second),
                          quantity(record.roof_s / median, Unit::none),
                          quantity(record.roof_s, Unit::second));
  if (roof_is_slow) {
    record.detail = {.cause = Cause::others_at_work,
                     .arguments = {std::int64_t{others}},
                     .further = {record.detail}};
  }
  record.seconds.clear();
  record.energy.reset();
  record.converged = false;
}

// The limit that held while the samples were taken, instead of the best that
// was ever reached. If it has changed meanwhile, no share of it is known.
void keep_roof_beside(Record& record, const Interval& seconds) {
  if (!record.timed()) return;
  record.roof_s = std::min(seconds.low, record.summary().median);
  record.slowest_roof_s = std::max(seconds.high, record.roof_s);
  if (record.slowest_roof_s <= steady_roof * record.roof_s) return;
  record.roof_absent =
      because(Cause::limit_not_steady, quantity(record.roof_s, Unit::second),
              quantity(record.slowest_roof_s, Unit::second));
  record.roof_s = 0;
}

void add_samples(Pending& pending) {
  const Trial& trial = *pending.trial;
  const Measurement& measurement = *pending.measurement;
  Record& record = pending.record;
  record.seconds = measurement.seconds();
  record.batches = measurement.batches();
  record.between_runs = trial.place->ceilings.between_runs;
  record.converged = measurement.converged();
  record.discarded = measurement.discarded();
  record.clock_hz = measurement.clock_hz();
  record.apart = measurement.apart();
  record.moving_s = trial.moving_s;
  if (trial.transfers) {
    record.to_device_s = trial.transfers->to_device_s;
    record.to_host_s = trial.transfers->to_host_s;
    record.to_device_pinned_s = trial.transfers->to_device_pinned_s;
    record.to_host_pinned_s = trial.transfers->to_host_pinned_s;
  }
}

// A roof may have been measured badly, even several times. So it is measured
// again before the time is doubted.
void hold_against_roof(Session& session, Pending& pending) {
  const Variant& variant = *pending.trial->call.variant;
  Place& place = *pending.trial->place;
  Record& record = pending.record;
  const Least least(*session.plan.workload, pending);
  const double margin =
      variant.needs_gpu() ? gpu_roof_margin : host_roof_margin;
  const int others = variant.needs_gpu() ? 0 : session.run.others_at_work;
  const auto beats_roof = [&] {
    record.roof_s = least.seconds(place.ceilings);
    return record.summary().median * margin < record.roof_s;
  };
  const int looks = variant.needs_gpu() ? looks_at_roof : looks_at_roof_of_host;
  for (int look = 0; beats_roof(); ++look) {
    if (look == looks) return doubt_time(record, others);
    try {
      session.raise_ceilings(place, least.wanted());
    } catch (const PointError& error) {
      session.note_once(
          {.cause = Cause::roof_not_measured, .further = {error.detail}});
      return doubt_time(record, others);
    }
  }
}

// Completes the record with verdict, samples and roof, and stores it.
void store(Session& session, Pending& pending) {
  const Trial& trial = *pending.trial;
  Record& record = pending.record;
  record.verdict = trial.verdict;
  record.detail = trial.detail;
  record.library = trial.library;
  record.launch = trial.launch;
  if (trial.passed()) {
    record.errors = trial.errors;
    // Several libraries can be the host's BLAS; record which one it was.
    if (uses_host_blas(trial)) {
      record.library = Blas::loaded();
      session.note_blas();
    }
    if (pending.measurement) {
      add_samples(pending);
      hold_against_roof(session, pending);
      if (pending.roof) keep_roof_beside(record, *pending.roof);
    }
  } else {
    record.energy.reset();
  }
  session.count(record);
  if (session.store) session.store->append(record);
}

// Stores the records of the chosen trials.
void store_those(Session& session, Listing& listing,
                 const std::function<bool(const Trial&)>& chosen) {
  for (auto& pending : listing.pending) {
    const Trial& trial = *pending.trial;
    if (!pending.recorded_before && !trial.doubt && chosen(trial))
      store(session, pending);
  }
}

bool has_trial(PendingGroup group, const Trial& trial) {
  return std::ranges::any_of(
      group, [&](const Pending* pending) { return pending->trial == &trial; });
}

// Joules take half a minute per record. So records without joules are stored
// first, and each group as soon as it has them. An interrupt then loses at most
// the group under way. If a trial is found wrong in the meantime, it is wrong
// in all cache states.
void store_all(Session& session, Listing& listing, Bench* bench) {
  const auto waiting =
      bench ? waiting_for_energy(*bench) : std::vector<Pending*>{};
  store_those(session, listing,
              [&](const Trial& trial) { return !has_trial(waiting, trial); });
  if (waiting.empty()) return;
  measure_energy(*bench, waiting, [&](PendingGroup group) {
    store_those(session, listing,
                [&](const Trial& trial) { return has_trial(group, trial); });
  });
}

// The records by kind of inputs and cache state, as observers get them.
Supervisor::Points complete_points(const Plan& plan, const Listing& listing) {
  Supervisor::Points points;
  for (const auto inputs : plan.inputs) {
    for (const auto cache : plan.caches) {
      std::vector<Record> records;
      for (const auto& pending : listing.pending) {
        if (pending.record.cache == cache && pending.record.inputs == inputs)
          records.push_back(pending.record);
      }
      if (!records.empty()) points.push_back(std::move(records));
    }
  }
  return points;
}

// Adds the size to the detail.
void say_size(Trial& trial) {
  if (!trial.about_size) return;
  // A note has said why this size is tried. It counts as any other.
  if (trial.about_size.cause == Cause::also_tried && !trial.passed()) return;
  if (trial.detail)
    trial.detail.further.push_back(trial.about_size);
  else
    trial.detail = trial.about_size;
}

// Hands over all records if any trial is in doubt; the others count as known. A
// worker that tries one call alone always hands over.
void hand_over_doubts(Session& session, const Listing& listing) {
  std::vector<Record> known, doubtful;
  std::set<const Trial*> seen;
  for (const auto& pending : listing.pending) {
    if (pending.recorded_before) continue;
    const Trial& trial = *pending.trial;
    if (!trial.doubt) {
      known.push_back(pending.record);
    } else if (seen.insert(&trial).second) {
      doubtful.push_back(pending.record);
      doubtful.back().detail = trial.doubt;
    }
  }
  auto& supervisor = session.supervisor;
  if (!supervisor.alone().empty() || !doubtful.empty())
    supervisor.hand_over(session.run, known, doubtful);
}

}  // namespace

Supervisor::Points run_point(Session& session, const PointPlan& point,
                             const Stop& interrupted) {
  Listing listing = list_point(session, point);
  const auto places = places_in_use(listing);
  if (needs_ceilings(session, listing)) session.know_ceilings();
  auto bench = set_up_bench(session, point, listing, interrupted);
  if (bench) {
    for (const auto kind : input_kinds)
      verify(*bench, kind);
    bench->verified_at_s = seconds_since(bench->begin);
    for (const auto inputs : session.plan.inputs)
      sample_on(*bench, inputs);
    bench->sampled_at_s = seconds_since(bench->begin);
    verify_again(*bench);
  }
  for (auto& trial : listing.trials)
    say_size(trial);
  if (!interrupted()) store_all(session, listing, bench ? &*bench : nullptr);
  Supervisor::Points points;
  if (!interrupted()) {
    hand_over_doubts(session, listing);
    points = complete_points(session.plan, listing);
  }
  for (const auto& records : points)
    session.observer.point(records);
  for (auto* place : places)
    place->executor->release();
  return points;
}

void repeat_point(Session& session, const Supervisor::Points& points) {
  for (const auto& records : points) {
    for (const auto& record : records) {
      session.count(record);
      session.learn(record);
    }
    session.observer.point(records);
  }
}

}  // namespace parlab
