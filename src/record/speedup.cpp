#include "record/speedup.hpp"

#include <limits>

namespace parlab {
namespace {

// Only GPU kernels have transfers; a CUDA record without them was not measured completely.
std::optional<double> transfer_seconds(const Record& record) {
  if (record.to_device_s || record.to_host_s) {
    return record.to_device_s.value_or(0) + record.to_host_s.value_or(0);
  }
  if (record.backend == "cuda" || record.launch.launches > 0) return std::nullopt;
  return 0;
}

double divide(double a, double b) {
  return b > 0 ? a / b : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<Ratio> speedup(const Record& record, const Record& baseline, bool with_transfers) {
  if (!record.timed() || !baseline.timed() || record.point() != baseline.point() ||
      !same_machine(record, baseline)) {
    return std::nullopt;
  }
  if (!(record.summary().median > 0)) return std::nullopt;
  if (!with_transfers) return ratio_of_medians(baseline.seconds, record.seconds);

  const auto extra = transfer_seconds(record), baseline_extra = transfer_seconds(baseline);
  if (!extra || !baseline_extra) return std::nullopt;
  const auto [of_ours, of_theirs] =
      ratio_confidences(record.seconds.size(), baseline.seconds.size());
  const Summary ours = summarize(record.seconds, of_ours);
  const Summary theirs = summarize(baseline.seconds, of_theirs);
  return Ratio{divide(theirs.median + *baseline_extra, ours.median + *extra),
               {divide(theirs.interval.low + *baseline_extra, ours.interval.high + *extra),
                divide(theirs.interval.high + *baseline_extra, ours.interval.low + *extra)}};
}

const Record* baseline_of(const std::vector<Record>& records, const Record& record) {
  const std::string point = record.point();
  const Record* best = nullptr;
  for (const auto& candidate : records) {
    if (candidate.backend != "serial" || !candidate.timed() || candidate.point() != point ||
        !same_machine(candidate, record)) {
      continue;
    }
    if (best == nullptr || candidate.variant == "plain" || candidate.variant == best->variant) {
      best = &candidate;
    }
  }
  return best;
}

bool tied(const Record& a, const Record& b) {
  return a.timed() && b.timed() && a.summary().interval.overlaps(b.summary().interval);
}

}  // namespace parlab
