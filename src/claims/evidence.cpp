#include "claims/evidence.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "record/store.hpp"

namespace parlab {
namespace {

// Whether all extents are equal; the parameters that follow them (a radius) may
// have any value.
bool square(const Record& record) {
  const std::size_t extents = record.workload == "matmul" ? 3 : 2;
  return record.size.size() < extents ||
         std::all_of(
             record.size.begin(),
             record.size.begin() + static_cast<long>(extents),
             [&](auto extent) { return extent == record.size.front(); });
}

}  // namespace

Selection Selection::variant(const std::string& name) const {
  return where(
      [&](const Record& r) { return r.backend + "/" + r.variant == name; });
}

Selection Selection::backend(const std::string& name) const {
  return where([&](const Record& r) { return r.backend == name; });
}

Selection Selection::size(const Size& size) const {
  return where([&](const Record& r) { return r.size == size; });
}

Selection Selection::with(const TunableValues& wanted) const {
  return where([&](const Record& r) {
    return std::ranges::all_of(wanted, [&](const auto& tunable) {
      const auto found = r.tunables.find(tunable.first);
      return found != r.tunables.end() && found->second == tunable.second;
    });
  });
}

Selection Selection::with(const std::string& tunable,
                          std::int64_t value) const {
  return with(TunableValues{{tunable, value}});
}

Selection Selection::counted() const {
  return where([](const Record& r) { return !r.counters.empty(); });
}

const Record* Selection::best() const {
  const auto found =
      std::min_element(begin(), end(), [](const Record* a, const Record* b) {
        return a->summary().median < b->summary().median;
      });
  return found == end() ? nullptr : *found;
}

const Record* Selection::worst() const {
  const auto found =
      std::max_element(begin(), end(), [](const Record* a, const Record* b) {
        return a->summary().median < b->summary().median;
      });
  return found == end() ? nullptr : *found;
}

std::vector<Size> Selection::sizes() const {
  std::set<Size> sizes;
  for (const auto* record : records_)
    sizes.insert(record->size);
  return {sizes.begin(), sizes.end()};
}

std::vector<std::int64_t> Selection::values(const std::string& tunable) const {
  std::set<std::int64_t> values;
  for (const auto* record : records_) {
    const auto found = record->tunables.find(tunable);
    if (found != record->tunables.end()) values.insert(found->second);
  }
  return {values.begin(), values.end()};
}

Evidence::Evidence(std::vector<Record> records, const std::vector<Run>& runs)
    : records_(latest(std::move(records))) {
  std::erase_if(records_, [](const Record& record) {
    return record.emulated || record.verdict == Verdict::unverified;
  });
  // By size, so that numbers are listed in that order.
  std::ranges::stable_sort(records_, {}, [](const Record& record) {
    return std::tie(record.size, record.tunables);
  });
  for (const auto& run : runs) {
    has_gpu_ |= !run.gpu.empty();
    if (!run.device.read.empty())
      device_bandwidth_ = run.device.read.back().second;
  }
}

Selection Evidence::tried(const std::string& workload, Dtype dtype) const {
  std::vector<const Record*> found;
  for (const auto& record : records_) {
    if (record.workload == workload && record.dtype == dtype &&
        record.cache == Cache::hot && record.inputs == InputKind::uniform &&
        !record.from_host && square(record)) {
      found.push_back(&record);
    }
  }
  return Selection(std::move(found));
}

Selection Evidence::timed(const std::string& workload, Dtype dtype) const {
  return tried(workload, dtype).where([](const Record& record) {
    return record.timed();
  });
}

}  // namespace parlab
