// How far runs of one binary differ: what Samples::between_runs says.
#pragma once

#include <vector>

#include "statistics/statistics.hpp"

namespace parlab {

// The standard deviation, as a share, of the medians of the runs of a point beyond what each run
// knows of itself; over several points the root of the mean square. Each point: its runs, two at
// the least; points with fewer do not count. 0 when none does, or when runs do not differ.
double spread_between_runs(const std::vector<std::vector<Samples>>& points);

}  // namespace parlab
