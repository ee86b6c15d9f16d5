#include "compare/ratio_test.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace parlab {
namespace {

// A batch of the sweep has at most 12 samples, and every measurement at least 4 batches.
constexpr std::size_t block_of = 12, blocks_at_least = 4, blocks_at_most = 30;
// What CUDA promises of its events: for samples that are all alike and do not show the tick.
constexpr double coarsest_tick_s = 0.5e-6;

struct Blocks {
  double mean = 0;     // of the logarithms of the medians
  double squares = 0;  // sum of their squared deviations
  double count = 0;
  double tick_variance = 0;  // of the mean: the clock's, which no number of samples makes smaller
};

// The least difference between two samples.
double tick_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  double tick = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double step = samples[i] - samples[i - 1];
    if (step > 1e-7 * samples[i]) tick = std::min(tick, step);  // samples are stored in 8 digits
  }
  return std::isfinite(tick) ? tick : coarsest_tick_s;
}

Blocks cut(const std::vector<double>& samples) {
  const std::size_t n = samples.size();
  const std::size_t count = std::clamp(n / block_of, blocks_at_least, blocks_at_most);
  std::vector<double> logs;
  for (std::size_t b = 0; b < count; ++b) {
    const auto begin = samples.begin() + static_cast<long>(b * n / count);
    const auto end = samples.begin() + static_cast<long>((b + 1) * n / count);
    logs.push_back(std::log(summarize({begin, end}).median));
  }
  Blocks blocks;
  blocks.count = static_cast<double>(count);
  blocks.mean = std::accumulate(logs.begin(), logs.end(), 0.0) / blocks.count;
  for (const double log : logs) blocks.squares += (log - blocks.mean) * (log - blocks.mean);
  const double tick = tick_of(samples) / std::exp(blocks.mean);
  blocks.tick_variance = tick * tick / 12;  // a reading is off by up to half a tick, evenly
  return blocks;
}

}  // namespace

std::optional<RatioTest> test_ratio(const std::vector<double>& before,
                                    const std::vector<double>& after, double margin) {
  const auto positive = [](const std::vector<double>& samples) {
    return std::all_of(samples.begin(), samples.end(), [](double s) { return s > 0; });
  };
  if (std::min(before.size(), after.size()) < blocks_at_least) return std::nullopt;
  if (!positive(before) || !positive(after)) return std::nullopt;
  const Blocks a = cut(before), b = cut(after);
  const double freedom = a.count + b.count - 2;
  const double pooled = (a.squares + b.squares) / freedom;
  const double error =
      std::sqrt(pooled * (1 / a.count + 1 / b.count) + a.tick_variance + b.tick_variance);
  const double log_ratio = b.mean - a.mean, log_margin = std::log1p(margin);
  const boost::math::students_t distribution(freedom);
  // The chance of a log ratio at least this far above (below) the bound when it lies at the bound.
  const auto above = [&](double bound) {
    return boost::math::cdf(boost::math::complement(distribution, (log_ratio - bound) / error));
  };
  const auto below = [&](double bound) {
    return boost::math::cdf(distribution, (log_ratio - bound) / error);
  };
  RatioTest test;
  test.ratio = std::exp(log_ratio);
  const double reach = boost::math::quantile(distribution, 0.975) * error;
  test.interval = {std::exp(log_ratio - reach), std::exp(log_ratio + reach)};
  test.p_differs = std::min(1.0, 2 * std::min(above(log_margin), below(-log_margin)));
  test.p_within = std::max(below(log_margin), above(-log_margin));
  return test;
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    least = std::max(least, std::min(1.0, static_cast<double>(p.size() - i) * p[order[i]]));
    adjusted[order[i]] = least;
  }
  return adjusted;
}

}  // namespace parlab
