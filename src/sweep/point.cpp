#include <algorithm>
#include <set>

#include "core/clock.hpp"
#include "sweep/phases.hpp"

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
