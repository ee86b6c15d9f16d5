// The least time that a recorded machine needs for the counted accesses.
#pragma once

#include <string>
#include <vector>

#include "facts/document.hpp"
#include "machine/ceilings.hpp"
#include "places/counted.hpp"

namespace parlab {

struct RecordedGpu {
  std::string machine;  // "nvidia-h100"
  Ceilings ceilings;
};

// One of the quantities that take time, in bytes or in steps.
struct LeastTime {
  std::string by;
  Quantity count, per_second;
  double seconds = 0;
};

// The times for data from L2, for passes over shared memory, and for data from
// memory with cold caches; the longest first. The data from L2 is an estimate.
// Quantities without a ceiling of the machine are left out.
std::vector<LeastTime> least_times(const Counted& counted,
                                   const Ceilings& ceilings);

// A sentence with the longest, and a table with all of them.
std::vector<Block> least_time(const Counted& counted, const RecordedGpu& gpu);

}  // namespace parlab
