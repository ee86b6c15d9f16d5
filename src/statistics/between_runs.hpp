// How far runs of one binary differ: what Samples::between_runs says.
#pragma once

#include <vector>

#include "statistics/statistics.hpp"

namespace parlab {

// Standard deviation of the medians of runs: a share of the median, and
// a number of seconds that is the same for all, such as that of starting
// a kernel, which only short ones notice.
struct BetweenRuns {
  double share = 0, seconds = 0;
  double at(double median_s) const;  // both, as a share of this median
};

// Beyond what each run knows of itself, over several points. Each point: its
// runs, two at the least; points with fewer do not count. The share is that
// of the long ones, the seconds are what short ones (a tenth of the longest
// at most) differ by besides. 0 where runs do not differ.
BetweenRuns spread_between_runs(
    const std::vector<std::vector<Samples>>& points);

// The same where others disturb some points and not others, and the long
// as the short: no seconds, and what one point's runs know too well is not
// set off against what another's know too badly.
BetweenRuns share_between_runs(const std::vector<std::vector<Samples>>& points);

// A factor of 1 whose spread is what these runs (at least two) differ by beyond
// Samples::between_runs; it has one degree of freedom less than there are runs.
Uncertain one_run_over_another(const std::vector<Samples>& runs);

}  // namespace parlab
