// Estimates how far runs of one binary differ, for Samples::between_runs.
#pragma once

#include <vector>

#include "statistics/statistics.hpp"

namespace parlab {

// Standard deviation of the medians of runs. One part is a share of the median.
// The other is a number of seconds that is the same for all, such as the time
// to start a kernel, which matters only for short times.
struct BetweenRuns {
  double share = 0, seconds = 0;
  double at(double median_s) const;  // both parts, as a share of this median
};

// The spread beyond what each run knows of itself, over several points. Each
// point has at least two runs; points with fewer do not count. `share` comes
// from the long times; `seconds` is the additional spread of short ones (at
// most a tenth of the longest). 0 if runs do not differ.
BetweenRuns spread_between_runs(
    const std::vector<std::vector<Samples>>& points);

// The same where others disturb some points and not others, long ones as well
// as short ones. The result has no seconds. Each point counts by itself: one
// whose runs differ less than expected does not make up for one whose runs
// differ more.
BetweenRuns share_between_runs(const std::vector<std::vector<Samples>>& points);

// A factor of 1 whose spread is that of these runs (at least two) beyond
// Samples::between_runs. Its degrees of freedom are one less than the number of
// runs.
Uncertain one_run_over_another(const std::vector<Samples>& runs);

}  // namespace parlab
