// Did the time change between two runs of one point? From the raw samples of both.
#pragma once

#include <optional>
#include <vector>

#include "statistics/statistics.hpp"

namespace parlab {

struct RatioTest {
  double ratio = 1;      // after / before; 1.05: five per cent slower
  Interval interval;     // of the ratio, 95 % for this point alone
  double p_differs = 1;  // of a ratio this far outside of the margin when the true one is within it
  double p_within = 1;   // of a ratio this far within the margin when the true one is outside of it
};

// The samples of one run in the order they were measured.
using Samples = std::vector<double>;

// Each side: one run or several. With several runs on both sides the medians of the runs are
// compared, by Student's t-test on their logarithms, and what differs from run to run (where memory
// lies, how warm the device is) is in the test (Kalibera and Jones, Rigorous benchmarking in
// reasonable time, 2013). With one run on a side its last run is cut into a few blocks, for samples
// of one batch share the state of caches and clocks and are not independent, and the medians of the
// blocks are compared in the same way (batch means: Law, Simulation Modeling and Analysis, section
// 9.5). Such a test cannot know how far two runs of one binary differ: only the margin covers that.
//
// The hypotheses are not of equality but of the margin: p_differs tests 1/(1+margin) <= ratio <=
// 1+margin, p_within its opposite by two one-sided tests (Schuirmann, J. Pharmacokinetics and
// Biopharmaceutics 15, 1987). The tick of the clock counts as an uncertainty of its own.
//
// Nothing when a side has no run, or when its only run has fewer than 4 samples.
std::optional<RatioTest> test_ratio(const std::vector<Samples>& before,
                                    const std::vector<Samples>& after, double margin);

// Adjusted for the number of hypotheses: rejecting where the result is at most alpha keeps the
// chance of any wrong rejection at alpha (Holm, Scandinavian Journal of Statistics 6, 1979).
std::vector<double> holm(const std::vector<double>& p);

}  // namespace parlab
