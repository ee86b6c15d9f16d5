// How long a plan may take, before anything is measured.
#pragma once

#include <cstddef>
#include <vector>

#include "sweep/observer.hpp"
#include "sweep/plan.hpp"

namespace parlab {

struct Estimate {
  Size size;
  Dtype dtype;
  std::size_t measurements = 0;  // that are not recorded yet
  double seconds = 0;            // for all of them: rough, for sharing work out
};

// One for each size and dtype, in the order of the plan. Opens the
// places, measures nothing, writes nothing. Throws UsageError when
// the plan cannot start.
std::vector<Estimate> estimate_sweep(const Plan& plan, Observer& observer);

}  // namespace parlab
