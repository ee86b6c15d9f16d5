#include "sweep/phases.hpp"

#include <algorithm>

#include "host/blas.hpp"
#include "machine/roof.hpp"
#include "sweep/roof_watch.hpp"

namespace parlab {
namespace {

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

}  // namespace

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

}  // namespace parlab
