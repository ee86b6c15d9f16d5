#include "statistics/between_runs.hpp"

#include <algorithm>
#include <cmath>

namespace parlab {

double spread_between_runs(const std::vector<std::vector<Samples>>& points) {
  double squares = 0, freedom = 0, within = 0, runs_in_all = 0;
  for (const auto& runs : points) {
    if (runs.size() < 2) continue;
    std::vector<double> logs;
    double mean = 0;
    for (const auto& run : runs) {
      logs.push_back(std::log(median(run.seconds)));
      mean += logs.back() / static_cast<double>(runs.size());
      // Of one run alone: what differs between runs is what is looked for.
      const double variance = summarize({run.seconds, run.batches, 0}).estimate.variance;
      if (std::isfinite(variance)) within += variance, ++runs_in_all;
    }
    for (const double log : logs) squares += (log - mean) * (log - mean);
    freedom += static_cast<double>(runs.size() - 1);
  }
  if (freedom == 0) return 0;
  const double known = runs_in_all > 0 ? within / runs_in_all : 0;
  return std::sqrt(std::max(0.0, squares / freedom - known));
}

}  // namespace parlab
