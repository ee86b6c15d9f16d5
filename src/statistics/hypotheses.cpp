#include "statistics/hypotheses.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace parlab {
namespace {

// Whether there are times, and all of them are above 0.
bool usable(const std::vector<Samples>& runs) {
  return !runs.empty() && std::ranges::all_of(runs, [](const Samples& samples) {
    return !samples.seconds.empty() &&
           std::ranges::all_of(samples.seconds, [](double s) { return s > 0; });
  });
}

// Several runs: the mean of the logarithms of their medians, and the sum of
// their squared deviations.
struct Side {
  double mean = 0, squares = 0, count = 0;
};

Side side_of(const std::vector<Samples>& runs) {
  std::vector<double> logs;
  for (const auto& samples : runs)
    logs.push_back(std::log(median(samples.seconds)));
  Side side;
  side.count = static_cast<double>(logs.size());
  side.mean = std::accumulate(logs.begin(), logs.end(), 0.0) / side.count;
  for (const double log : logs)
    side.squares += (log - side.mean) * (log - side.mean);
  return side;
}

// after / before. The spread of few runs is uncertain, so both sides are
// pooled.
Uncertain by_medians(const std::vector<Samples>& before,
                     const std::vector<Samples>& after) {
  const Side a = side_of(before), b = side_of(after);
  const double freedom = a.count + b.count - 2;
  const double of_runs =
      (a.squares + b.squares) / freedom * (1 / a.count + 1 / b.count);
  const double of_ticks =
      tick_variance(before.back()) + tick_variance(after.back());
  return {std::exp(b.mean - a.mean), of_runs + of_ticks, freedom};
}

}  // namespace

std::optional<RatioTest> test_ratio(const std::vector<Samples>& before,
                                    const std::vector<Samples>& after,
                                    double margin) {
  if (!usable(before) || !usable(after)) return std::nullopt;
  const bool by_runs = before.size() > 1 && after.size() > 1;
  const Uncertain change = by_runs ? by_medians(before, after)
                                   : summarize(after.back()).estimate /
                                         summarize(before.back()).estimate;
  if (!std::isfinite(change.variance)) return std::nullopt;
  const double log_ratio = std::log(change.value),
               log_margin = std::log1p(margin);
  const double error = std::sqrt(change.variance);
  const StudentsT t(change.freedom);
  // The probability of a log ratio at least this far above (below) the bound if
  // the true one lies at the bound.
  const auto above = [&](double bound) {
    return t.above((log_ratio - bound) / error);
  };
  const auto below = [&](double bound) {
    return t.below((log_ratio - bound) / error);
  };
  RatioTest test;
  test.ratio = ratio(change);
  test.error = error;
  test.p_differs =
      std::min(1.0, 2 * std::min(above(log_margin), below(-log_margin)));
  test.p_within = std::max(below(log_margin), above(-log_margin));
  return test;
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    least = std::max(
        least, std::min(1.0, static_cast<double>(p.size() - i) * p[order[i]]));
    adjusted[order[i]] = least;
  }
  return adjusted;
}

}  // namespace parlab
