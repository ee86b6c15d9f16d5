#include "page/reference.hpp"

#include <algorithm>

namespace parlab::page {
namespace {

Entries of_one_gpu(const Entries& entries) {
  return where(entries, [](const Entry& entry) { return !of_team(entry); });
}

// The variants that summaries show: those for one GPU if there are any; those
// for several GPUs on a machine that measured only these.
Entries contest_of(const Entries& entries) {
  const auto gpu = on_device(entries, true);
  const auto& half = gpu.empty() ? entries : gpu;
  const auto single = of_one_gpu(half);
  return single.empty() ? half : single;
}

}  // namespace

Entries of_precision(const Entries& entries, Precision precision) {
  return where(entries, [&](const Entry& entry) {
    return precision_of(entry.record) == precision;
  });
}

std::optional<Reference> reference_of(const Measured& measured,
                                      const std::string& workload) {
  const auto entries = of_workload(all(measured), workload);
  if (entries.empty()) return std::nullopt;
  Reference found;
  found.workload = workload;
  found.dtype = main_dtype(entries);
  const auto some = of_dtype(entries, found.dtype);
  const auto contest = contest_of(some);
  const auto also = where(contest, [&](const Entry& entry) {
    const auto there = of_size(some, entry.record.size);
    return !on_device(there, false).empty();
  });
  // The CPU decides among the sizes that most variants have; it is ignored if
  // it has none of them.
  const auto most = ladder_size(contest), both = ladder_size(also);
  const auto variants = [&](const Size& size) {
    return ladder(of_size(contest, size)).size();
  };
  const bool nearly = both && 10 * variants(*both) >= 8 * variants(*most);
  found.size = nearly ? *both : *most;
  found.point = of_size(some, found.size);
  found.contest = of_size(contest, found.size);
  return found;
}

std::vector<Reference> references(const Measured& measured) {
  std::vector<Reference> all_of_them;
  for (const auto& workload : measured.workloads()) {
    if (auto found = reference_of(measured, workload))
      all_of_them.push_back(std::move(*found));
  }
  return all_of_them;
}

std::optional<double> of_limit(const Entry& entry, const Entries& point) {
  if (entry.record.roof_absent) return std::nullopt;
  double least = entry.record.roof_s;
  for (const auto* other : point) {
    const bool alike = other->record.arithmetic == entry.record.arithmetic &&
                       on_gpu(other->side) == on_gpu(entry.side) &&
                       gpus_at_work(*other) == gpus_at_work(entry) &&
                       same_point(other->record, entry.record);
    if (alike && other->record.roof_s > 0)
      least = least > 0 ? std::min(least, other->record.roof_s)
                        : other->record.roof_s;
  }
  if (!(least > 0) || !(entry.summary.median > 0)) return std::nullopt;
  return least / entry.summary.median;
}

const Entry* fastest_own(const Entries& point) {
  return best_peer(without_libraries(point));
}

const Entry* fastest_library(const Entries& point) {
  return best_peer(
      where(point, [](const Entry& entry) { return of_library(entry.side); }));
}

const Entry* fastest_alike(const Entries& point) {
  const auto* alike = best(of_precision(point, Precision::alike));
  const auto* full = best_peer(point);
  const bool faster =
      alike != nullptr &&
      (full == nullptr || alike->summary.median < full->summary.median);
  return faster ? alike : nullptr;
}

}  // namespace parlab::page
