#include "record/speedup.hpp"

#include <algorithm>

namespace parlab {
namespace {

// Only GPU kernels have copies. A CUDA record without them was not measured
// completely.
std::optional<double> pageable_seconds(const Record& record) {
  if (record.to_device_s || record.to_host_s)
    return record.to_device_s.value_or(0) + record.to_host_s.value_or(0);
  if (record.on_gpu() && !record.from_host) return std::nullopt;
  return 0;
}

std::optional<double> pinned_seconds(const Record& record) {
  if (!record.to_device_pinned_s || !record.to_host_pinned_s)
    return std::nullopt;
  return *record.to_device_pinned_s + *record.to_host_pinned_s;
}

// From this efficiency on, nothing limits.
constexpr double efficient = 0.95;
// From this share of its roof on, a record has reached it.
constexpr double at_roof = 0.7;
// By so much a single thread has to exceed a core's share of the peak.
constexpr double faster_alone = 1.1;

// A single thread computes faster than a core can when all are at work.
std::optional<double> faster_than_share(const Record& one, const Run& run) {
  const auto peak = run.host.units.find(one.unit);
  if (peak == run.host.units.end() || run.cores == 0) return std::nullopt;
  const double factor =
      one.flops / one.summary().median / (peak->second / run.cores);
  return factor > faster_alone ? std::optional(factor) : std::nullopt;
}

Detail limit_of_threads(const Record& record, const Record& one,
                        const Run& run) {
  const auto threads = threads_of(record);
  if (!record.size.empty() && record.size[0] < threads) {
    return because(Cause::threads_exceed_rows, threads, record.size[0]);
  }
  const double share = record.roof_s / record.summary().median;
  const auto limit = limit_of(run.host, record);
  const Quantity reached{share, Unit::fraction};
  if (limit == "memory" && share >= at_roof)
    return because(Cause::threads_at_memory, reached);
  if (const auto factor = faster_than_share(one, run)) {
    return because(Cause::threads_share_clock, Quantity{*factor, Unit::factor});
  }
  if (share >= at_roof) return because(Cause::threads_at_peak, reached);
  return {record.roof_s > 0 ? Cause::threads_wait : Cause::none};
}

}  // namespace

std::optional<Ratio> speedup(const Record& record, const Record& baseline,
                             Copies copies) {
  return speedup(record, record.summary().estimate, baseline,
                 baseline.summary().estimate, copies);
}

std::optional<Ratio> speedup(const Record& record, const Uncertain& ours,
                             const Record& baseline, const Uncertain& theirs,
                             Copies copies) {
  if (!record.timed() || !baseline.timed() || !same_point(record, baseline) ||
      !same_machine(record, baseline) || !(ours.value > 0)) {
    return std::nullopt;
  }
  if (copies == Copies::none) {
    if (record.from_host != baseline.from_host) return std::nullopt;
    return ratio(theirs, ours);
  }
  const bool pinned = copies == Copies::pinned;
  if (pinned && baseline.on_gpu()) return std::nullopt;
  const auto moved = pinned ? pinned_seconds(record) : pageable_seconds(record),
             baseline_moved = pageable_seconds(baseline);
  if (!moved || !baseline_moved) return std::nullopt;
  return ratio(theirs + *baseline_moved, ours + *moved);
}

Precision precision_of(const Record& record) {
  if (record.arithmetic == Arithmetic::ieee) return Precision::full;
  const auto within = [&](InputKind kind) {
    const auto error = record.errors.find(error_name(kind, ErrorUnit::bound));
    return error != record.errors.end() && error->second <= 1;
  };
  return within(InputKind::uniform) && within(InputKind::wide)
             ? Precision::alike
             : Precision::reduced;
}

const Record* baseline_of(const std::vector<Record>& records,
                          const Record& record) {
  const Record* best = nullptr;
  bool plain_elsewhere = false;
  for (const auto& candidate : records) {
    if (candidate.backend != "serial" || !candidate.timed() ||
        !same_point(candidate, record)) {
      continue;
    }
    if (!same_machine(candidate, record)) {
      plain_elsewhere |=
          candidate.variant == "plain" && candidate.machine == record.machine;
      continue;
    }
    if (best == nullptr || candidate.variant == "plain" ||
        candidate.variant == best->variant) {
      best = &candidate;
    }
  }
  // Another host of this name has speedups over `plain`. Beside those, a
  // speedup over another variant would mislead.
  const bool stands_in = best != nullptr && best->variant != "plain";
  return stands_in && plain_elsewhere ? nullptr : best;
}

std::int64_t threads_of(const Record& record) {
  return record.tunables.value_or("threads", 0);
}

bool ThreadGain::good() const {
  return efficiency.value >= efficient;
}

std::string limit_of(const Ceilings& ceilings, const Record& record) {
  if (record.roof_s <= 0) return "";
  constexpr double nearly = 1.01;
  if (record.roof_s <= nearly * ceilings.launch_s) return "a launch";
  const auto unit = ceilings.units.find(record.unit);
  const bool units_limit =
      unit != ceilings.units.end() &&
      record.flops / unit->second > record.bytes / memory_bandwidth(ceilings);
  return units_limit ? record.unit : "memory";
}

std::optional<ThreadGain> gain_by_threads(const Record& record,
                                          const std::vector<Record>& records,
                                          const Run& run) {
  const auto threads = threads_of(record);
  if (threads < 2 || !record.timed() || record.for_gpu()) return std::nullopt;
  auto alone = record.tunables;
  alone.at("threads") = 1;
  const auto one = std::ranges::find_if(records, [&](const Record& other) {
    return other.tunables == alone && other.backend == record.backend &&
           other.variant == record.variant &&
           other.source_hash == record.source_hash;
  });
  if (one == records.end()) return std::nullopt;
  const auto gain = speedup(record, *one);
  if (!gain) return std::nullopt;
  const auto n = static_cast<double>(threads);
  ThreadGain found{
      threads,
      {.value = gain->value / n,
       .interval = {gain->interval.low / n, gain->interval.high / n}},
      {}};
  if (!found.good()) found.limit = limit_of_threads(record, *one, run);
  return found;
}

}  // namespace parlab
