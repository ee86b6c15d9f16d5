// The records by which claims are judged, and how to find the right ones among
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/record.hpp"

namespace parlab {

// Some of the records, narrowed step by step:
// dmv.variant("cuda/naive").with("block", 16). Points into the
// Evidence it came from.
class Selection {
 public:
  Selection() = default;
  explicit Selection(std::vector<const Record*> records)
      : records_(std::move(records)) {}

  template <typename Predicate>
  Selection where(Predicate keep) const {
    Selection some;
    for (const auto* record : records_) {
      if (keep(*record)) some.records_.push_back(record);
    }
    return some;
  }
  Selection variant(const std::string& name) const;  // "cuda/naive"
  Selection backend(const std::string& name) const;
  Selection size(const Size& size) const;
  // The records with these tunables at these values, whatever the others are.
  Selection with(const TunableValues& wanted) const;
  Selection with(const std::string& tunable, std::int64_t value) const;
  Selection counted() const;  // those with hardware counters

  // The record with the lowest or highest median; the first of equal ones.
  // nullptr if there is none.
  const Record* best() const;
  const Record* worst() const;
  std::vector<Size> sizes() const;  // ascending, without duplicates
  // ascending, without duplicates
  std::vector<std::int64_t> values(const std::string& tunable) const;

  bool empty() const { return records_.empty(); }
  auto begin() const { return records_.begin(); }
  auto end() const { return records_.end(); }

 private:
  std::vector<const Record*> records_;
};

// The latest records of one machine, without the emulated
// and the unverified ones.
class Evidence {
 public:
  Evidence(std::vector<Record> records, const std::vector<Run>& runs);
  Evidence(const Evidence&) = delete;
  Evidence& operator=(const Evidence&) = delete;

  // Passed and timed, for square problems, with hot caches.
  Selection timed(const std::string& workload, Dtype dtype) const;
  // Also includes those that failed; their verdict tells how.
  Selection tried(const std::string& workload, Dtype dtype) const;
  bool has_gpu() const { return has_gpu_; }
  // Bytes per second at the largest footprint, where no cache helps; nothing if
  // it was not measured.
  std::optional<double> device_bandwidth() const { return device_bandwidth_; }

 private:
  std::vector<Record> records_;
  bool has_gpu_ = false;
  std::optional<double> device_bandwidth_;
};

}  // namespace parlab
