// The least time that a recorded machine takes for what was counted.
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

// One of the things that take a time, in bytes or in steps.
struct LeastTime {
  std::string by;
  Quantity count, per_second;
  double seconds = 0;
};

// By what comes from L2, by passes over shared memory, and by what comes from
// memory when caches are cold; the longest first. Of these L2 is an estimate.
// Without what the machine has no ceiling of.
std::vector<LeastTime> least_times(const Counted& counted,
                                   const Ceilings& ceilings);

// As a sentence, and a table with all of them.
std::vector<Block> least_time(const Counted& counted, const RecordedGpu& gpu);

}  // namespace parlab
