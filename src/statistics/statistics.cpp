#include "statistics/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace parlab {
namespace {

// The largest k for which [x_(k), x_(n+1-k)], counted from 1, covers the median with at least the
// confidence: P(Binomial(n, 1/2) < k) <= (1 - confidence) / 2. 0 when there is none.
std::size_t interval_rank(std::size_t n, double confidence) {
  const double tail = (1 - confidence) / 2;
  const boost::math::binomial distribution(static_cast<double>(n), 0.5);
  // The search begins a little below the normal approximation: this is asked after every batch.
  const double near =
      static_cast<double>(n) / 2 - 1.2 * std::sqrt(static_cast<double>(n) * -std::log(tail) / 2);
  auto k = static_cast<std::size_t>(std::max(0.0, near));
  while (k > 0 && boost::math::cdf(distribution, static_cast<double>(k - 1)) > tail) --k;
  while (k < n / 2 && boost::math::cdf(distribution, static_cast<double>(k)) <= tail) ++k;
  return k;
}

}  // namespace

Summary summarize(std::vector<double> samples, double confidence) {
  Summary summary;
  summary.count = samples.size();
  summary.interval = {0, std::numeric_limits<double>::infinity()};
  if (samples.empty()) return summary;
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  summary.min = samples.front();
  summary.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(n);
  summary.median = (samples[(n - 1) / 2] + samples[n / 2]) / 2;
  if (const std::size_t k = interval_rank(n, confidence); k > 0) {
    summary.interval = {samples[k - 1], samples[n - k]};
  }
  return summary;
}

double relative_half_width(const Summary& summary) {
  return (summary.interval.high - summary.interval.low) / 2 / summary.median;
}

std::pair<double, double> ratio_confidences(std::size_t samples, std::size_t other_samples) {
  if (samples == 6 && other_samples > 6) return {0.96875, 0.98125};
  if (other_samples == 6 && samples > 6) return {0.98125, 0.96875};
  return {0.975, 0.975};
}

Ratio ratio_of_medians(const std::vector<double>& a, const std::vector<double>& b) {
  const auto [of_a, of_b] = ratio_confidences(a.size(), b.size());
  const Summary top = summarize(a, of_a), bottom = summarize(b, of_b);
  return {top.median / bottom.median,
          {top.interval.low / bottom.interval.high, top.interval.high / bottom.interval.low}};
}

}  // namespace parlab
