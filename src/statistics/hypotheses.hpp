// Did the time change between two sets of runs of one point? From
// the raw samples of both.
#pragma once

#include <optional>
#include <vector>

#include "statistics/statistics.hpp"

namespace parlab {

struct RatioTest {
  // after / before; 1.05: five per cent slower; this point alone
  Ratio ratio;
  double error = 0;  // standard deviation of its logarithm
  // of a ratio this far outside of the margin when the true one is within it
  double p_differs = 1;
  // of a ratio this far within the margin when the true one is outside of it
  double p_within = 1;
};

// Each side: one run or several. With several runs on both sides their medians
// are compared, by Student's t-test on their logarithms: what differs from
// run to run is seen. With one run on a side the last runs are compared
// as summarize() knows their medians: what differs from run to run is what
// the samples say of it (Samples::between_runs).
//
// The hypotheses are not of equality but of the margin: p_differs tests
// 1/(1+margin) <= ratio <= 1+margin, p_within its opposite by two one-sided
// tests (Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987).
//
// Nothing when a side has no run, or when its only run has too few samples.
std::optional<RatioTest> test_ratio(const std::vector<Samples>& before,
                                    const std::vector<Samples>& after,
                                    double margin);

// Adjusted for the number of hypotheses: rejecting where the result is
// at most alpha keeps the chance of any wrong rejection at alpha (Holm,
// Scandinavian Journal of Statistics 6, 1979).
std::vector<double> holm(const std::vector<double>& p);

}  // namespace parlab
