#include "record/speedup.hpp"

namespace parlab {
namespace {

// Only GPU kernels have transfers; a CUDA record without them was
// not measured completely.
std::optional<double> transfer_seconds(const Record& record) {
  if (record.to_device_s || record.to_host_s) {
    return record.to_device_s.value_or(0) + record.to_host_s.value_or(0);
  }
  if (record.on_gpu() && !record.from_host) return std::nullopt;
  return 0;
}

}  // namespace

std::optional<Ratio> speedup(const Record& record, const Record& baseline,
                             bool with_transfers) {
  return speedup(record, record.summary().estimate, baseline,
                 baseline.summary().estimate, with_transfers);
}

std::optional<Ratio> speedup(const Record& record, const Uncertain& ours,
                             const Record& baseline, const Uncertain& theirs,
                             bool with_transfers) {
  if (!record.timed() || !baseline.timed() || !same_point(record, baseline) ||
      !same_machine(record, baseline) || !(ours.value > 0)) {
    return std::nullopt;
  }
  if (!with_transfers) {
    if (record.from_host != baseline.from_host) return std::nullopt;
    return ratio(theirs, ours);
  }
  const auto moved = transfer_seconds(record),
             baseline_moved = transfer_seconds(baseline);
  if (!moved || !baseline_moved) return std::nullopt;
  return ratio(theirs + *baseline_moved, ours + *moved);
}

std::optional<Ratio> speedup_pinned(const Record& record,
                                    const Record& baseline) {
  if (!record.to_device_pinned_s || !record.to_host_pinned_s ||
      baseline.on_gpu()) {
    return std::nullopt;
  }
  Record pinned = record;
  pinned.to_device_s = record.to_device_pinned_s;
  pinned.to_host_s = record.to_host_pinned_s;
  return speedup(pinned, baseline, true);
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
  // Beside speedups over plain one over another variant would mislead.
  const bool stands_in = best != nullptr && best->variant != "plain";
  return stands_in && plain_elsewhere ? nullptr : best;
}

}  // namespace parlab
