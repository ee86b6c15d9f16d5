// The gain of a CPU variant by threads, and its limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/record.hpp"
#include "statistics/statistics.hpp"

namespace parlab {

// The resource that sets a record's roof, by the ceilings of its device: "a
// launch" of an empty kernel, "memory" (including caches), or a unit; "" if the
// record has no roof.
std::string limit_of(const Ceilings& ceilings, const Record& record);

// The number that it was asked to have; 0: it has no such tunable.
std::int64_t threads_of(const Record& record);

struct ThreadGain {
  std::int64_t threads = 0;
  // Time of one thread / (threads * time of all): 1 at best.
  Ratio efficiency;
  // what keeps it below 1, if it is and that is known:
  // Cause::threads_at_memory ...
  Detail limit;
  bool good() const;  // nothing limits it
};

// Compares the record with one of the same variant, point and machine that
// differs only in having one thread. run: its ceilings were measured with all
// cores at work. Nothing if the record has one thread, or if there is no such
// other record.
std::optional<ThreadGain> gain_by_threads(const Record& record,
                                          const std::vector<Record>& records,
                                          const Run& run);

}  // namespace parlab
