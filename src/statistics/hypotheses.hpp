// Tests whether the time changed between two sets of runs of one point, from
// the raw samples of both.
#pragma once

#include <optional>
#include <vector>

#include "statistics/statistics.hpp"

namespace parlab {

struct RatioTest {
  // after / before for this point alone; 1.05: five percent slower
  Ratio ratio;
  double error = 0;  // standard deviation of its logarithm
  // probability of a ratio this far outside of the margin if the true one is
  // within it
  double p_differs = 1;
  // probability of a ratio this far within the margin if the true one is
  // outside of it
  double p_within = 1;
};

// Each side has one or several runs. With several runs on both sides, Student's
// t-test compares the logarithms of their medians, which includes differences
// between runs. With one run on a side, the last runs are compared by their
// medians as summarize() knows them; the difference between runs is then taken
// from the samples (Samples::between_runs).
//
// The hypotheses are about the margin, not about equality. p_differs tests
// 1/(1+margin) <= ratio <= 1+margin, p_within its opposite by two one-sided
// tests (Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987).
//
// Nothing if a side has no run, or if its only run has too few samples.
std::optional<RatioTest> test_ratio(const std::vector<Samples>& before,
                                    const std::vector<Samples>& after,
                                    double margin);

// Adjusts p values for the number of hypotheses. Rejecting where the result is
// at most alpha keeps the probability of any wrong rejection at alpha (Holm,
// Scandinavian Journal of Statistics 6, 1979).
std::vector<double> holm(const std::vector<double>& p);

}  // namespace parlab
