#include "statistics/between_runs.hpp"

#include <algorithm>
#include <cmath>

namespace parlab {
namespace {

using Runs = std::vector<Samples>;

double median_of(const Runs& runs) {
  return median(runs.front().seconds);
}

// The variance of the runs' logarithms beyond what each run knows of itself.
double unknown_variance(const std::vector<Runs>& points) {
  double squares = 0, freedom = 0, within = 0, runs_in_all = 0;
  for (const auto& runs : points) {
    std::vector<double> logs;
    double mean = 0;
    for (const auto& run : runs) {
      logs.push_back(std::log(median(run.seconds)));
      mean += logs.back() / static_cast<double>(runs.size());
      // The variance of one run alone (between_runs is 0), because the
      // difference between runs is being determined.
      const double variance =
          summarize({run.seconds, run.batches, 0}).estimate.variance;
      if (std::isfinite(variance)) within += variance, ++runs_in_all;
    }
    for (const double log : logs)
      squares += (log - mean) * (log - mean);
    freedom += static_cast<double>(runs.size() - 1);
  }
  if (freedom == 0) return 0;
  const double known = runs_in_all > 0 ? within / runs_in_all : 0;
  return std::max(0.0, squares / freedom - known);
}

}  // namespace

double BetweenRuns::at(double median_s) const {
  return seconds > 0 && median_s > 0 ? std::hypot(share, seconds / median_s)
                                     : share;
}

BetweenRuns share_between_runs(const std::vector<Runs>& points) {
  double variance = 0, count = 0;
  for (const auto& runs : points) {
    if (runs.size() > 1) variance += unknown_variance({runs}), ++count;
  }
  return {count > 0 ? std::sqrt(variance / count) : 0, 0};
}

BetweenRuns spread_between_runs(const std::vector<Runs>& points) {
  double longest = 0;
  for (const auto& runs : points) {
    if (runs.size() > 1) longest = std::max(longest, median_of(runs));
  }
  std::vector<Runs> few, many;  // runs with short and with long times
  for (const auto& runs : points) {
    if (runs.size() > 1)
      (median_of(runs) <= longest / 10 ? few : many).push_back(runs);
  }
  BetweenRuns found{std::sqrt(unknown_variance(many)), 0};
  double squares = 0;
  for (const auto& runs : few) {
    const double beyond = unknown_variance({runs}) - found.share * found.share;
    squares += beyond * median_of(runs) * median_of(runs);
  }
  if (squares > 0)
    found.seconds = std::sqrt(squares / static_cast<double>(few.size()));
  return found;
}

Uncertain one_run_over_another(const std::vector<Samples>& runs) {
  const double known = runs.front().between_runs;
  const double beyond = std::max(0.0, unknown_variance({runs}) - known * known);
  return {1, beyond, static_cast<double>(runs.size()) - 1};
}

}  // namespace parlab
