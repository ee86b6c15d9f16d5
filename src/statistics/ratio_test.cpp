#include "statistics/ratio_test.hpp"

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

struct Side {
  double mean = 0;     // of the logarithms of the medians
  double squares = 0;  // sum of their squared deviations
  double count = 0;
  double tick_variance = 0;  // of the mean: the clock's, which no number of samples makes smaller
};

// The least difference between two samples.
double tick_of(Samples samples) {
  std::sort(samples.begin(), samples.end());
  double tick = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double step = samples[i] - samples[i - 1];
    if (step > 1e-7 * samples[i]) tick = std::min(tick, step);  // samples are stored in 8 digits
  }
  return std::isfinite(tick) ? tick : coarsest_tick_s;
}

// Logarithms of the medians of the blocks of one run.
std::vector<double> blocks_of(const Samples& samples) {
  const std::size_t n = samples.size();
  const std::size_t count = std::clamp(n / block_of, blocks_at_least, blocks_at_most);
  std::vector<double> logs;
  for (std::size_t b = 0; b < count; ++b) {
    const auto begin = samples.begin() + static_cast<long>(b * n / count);
    const auto end = samples.begin() + static_cast<long>((b + 1) * n / count);
    logs.push_back(std::log(summarize({begin, end}).median));
  }
  return logs;
}

std::vector<double> medians_of(const std::vector<Samples>& runs) {
  std::vector<double> logs;
  for (const auto& samples : runs) logs.push_back(std::log(summarize(samples).median));
  return logs;
}

Side side_of(const std::vector<double>& logs, const Samples& samples) {
  Side side;
  side.count = static_cast<double>(logs.size());
  side.mean = std::accumulate(logs.begin(), logs.end(), 0.0) / side.count;
  for (const double log : logs) side.squares += (log - side.mean) * (log - side.mean);
  const double tick = tick_of(samples) / std::exp(side.mean);
  side.tick_variance = tick * tick / 12;  // a reading is off by up to half a tick, evenly
  return side;
}

// Has times, all of them above 0.
bool usable(const std::vector<Samples>& runs) {
  return !runs.empty() && std::all_of(runs.begin(), runs.end(), [](const Samples& samples) {
    return !samples.empty() &&
           std::all_of(samples.begin(), samples.end(), [](double s) { return s > 0; });
  });
}

}  // namespace

std::optional<RatioTest> test_ratio(const std::vector<Samples>& before,
                                    const std::vector<Samples>& after, double margin) {
  if (!usable(before) || !usable(after)) return std::nullopt;
  const bool by_runs = before.size() > 1 && after.size() > 1;
  const Samples &last_before = before.back(), &last_after = after.back();
  if (!by_runs && std::min(last_before.size(), last_after.size()) < blocks_at_least) {
    return std::nullopt;
  }
  const Side a = side_of(by_runs ? medians_of(before) : blocks_of(last_before), last_before);
  const Side b = side_of(by_runs ? medians_of(after) : blocks_of(last_after), last_after);
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
