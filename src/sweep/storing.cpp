#include "sweep/phases.hpp"

#include <algorithm>

#include "host/blas.hpp"
#include "machine/roof.hpp"
#include "places/partition.hpp"

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
  record.detail = {.cause = Cause::beats_roof,
                   .arguments = {quantity(median, Unit::second),
                                 quantity(record.roof_s / median, Unit::none),
                                 quantity(record.roof_s, Unit::second)}};
  if (roof_is_slow) {
    record.detail = {.cause = Cause::others_at_work,
                     .arguments = {std::int64_t{others}},
                     .further = {record.detail}};
  }
  record.seconds.clear();
  record.energy.reset();
  record.converged = false;
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

// Seconds that one execution takes at least, by given ceilings.
class Least {
 public:
  Least(const Workload& workload, const Call& call, const Record& record)
      : unit_(record.unit), cache_(record.cache) {
    const auto& [variant, size, dtype, tunables, expected_s] = call;
    const auto team = tunables.find("gpus");
    const int gpus = team == tunables.end()
                         ? 1
                         : static_cast<int>(std::max(team->second, {1}));
    work_ = share_of(workload.work(size, dtype), gpus);
    if (variant->travels != nullptr)
      moved_ = variant->travels(size.data(), dtype, gpus);
    // Arrays in host memory cross the link once in each direction.
    if (!variant->from_host()) return;
    for (const auto& array : workload.arrays(size, dtype)) {
      const auto bytes = static_cast<double>(array.bytes());
      if (variant->reads(array)) from_host_ += bytes;
      if (variant->writes(array)) to_host_ += bytes;
    }
  }

  double seconds(const Ceilings& ceilings) const {
    return std::max({roof_seconds(ceilings, work_, unit_, cache_),
                     link_seconds(ceilings, moved_),
                     host_link_seconds(ceilings, from_host_, to_host_)});
  }
  WantedCeilings wanted() const { return wanted_for(work_, unit_, cache_); }

 private:
  std::string unit_;
  Cache cache_;
  Work work_;
  double moved_ = 0, from_host_ = 0, to_host_ = 0;
};

// A roof may have been measured badly, even several times. So it is measured
// again before the time is doubted.
void hold_against_roof(Session& session, Pending& pending) {
  const Variant& variant = *pending.trial->call.variant;
  Place& place = *pending.trial->place;
  Record& record = pending.record;
  const Least least(*session.plan.workload, pending.trial->call, record);
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
    }
  } else {
    record.energy.reset();
  }
  session.count(record);
  if (session.store) session.store->append(record);
}

}  // namespace parlab
