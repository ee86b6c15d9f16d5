#include "record/speedup.hpp"

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

}  // namespace parlab
