#include "statistics/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <cmath>
#include <numeric>

namespace parlab {
namespace {

using Quick =
    boost::math::policies::policy<boost::math::policies::promote_double<false>,
                                  boost::math::policies::digits10<8>>;
using Distribution = boost::math::students_t_distribution<double, Quick>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double confidence_of_all = 0.95;

// With more groups, neighbouring ones are too correlated; with fewer, the
// quantile of t grows.
constexpr std::size_t groups_at_least = 4, groups_at_most = 10;
constexpr std::size_t batch_assumed = 12;
// The resolution that CUDA guarantees for its events. Used for samples that are
// all equal and so do not show the tick.
constexpr double coarsest_tick_s = 0.5e-6;

// Factor between the variance of the mean and that of as many independent
// values, if neighbours are correlated as in an autoregression. The estimate of
// the correlation is biased low, mostly for few values (Kendall, Biometrika 41,
// 1954).
double inflation(const std::vector<double>& deviations, double squares) {
  if (!(squares > 0)) return 1;
  double products = 0;
  for (std::size_t i = 1; i < deviations.size(); ++i)
    products += deviations[i] * deviations[i - 1];
  const double found = products / squares;
  const double bias =
      (1 + 3 * std::max(found, 0.0)) / static_cast<double>(deviations.size());
  const double correlation = std::clamp(found + bias, 0.0, 0.9);
  return (1 + correlation) / (1 - correlation);
}

// Reorders the values.
double rearranged_median(std::vector<double>& values) {
  // Puts the upper middle value in its place; the lower one is the largest
  // before it.
  const auto upper =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*std::max_element(values.begin(), upper) + *upper) / 2;
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

// The tick is the smallest difference between two samples.
double tick_variance_of(const std::vector<double>& sorted) {
  double tick = infinity;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double step = sorted[i] - sorted[i - 1];
    // samples are stored with 8 digits
    if (step > 1e-7 * sorted[i]) tick = std::min(tick, step);
  }
  if (!std::isfinite(tick)) tick = coarsest_tick_s;
  // Start and end are each off by up to half a tick, uniformly.
  const double share = tick / median_of_sorted(sorted);
  return share * share / 6;
}

// Degrees of freedom of a variance with two parts; those of an exact part are
// infinite.
double pooled_freedom(double a, double freedom_a, double b, double freedom_b) {
  const double sum = a + b;
  if (!(sum > 0) || !std::isfinite(sum)) return 1;
  const double shares =
      (a / sum) * (a / sum) / freedom_a + (b / sum) * (b / sum) / freedom_b;
  return shares > 0 ? 1 / shares : infinity;
}

// The median, and its uncertainty from the groups of this run.
Uncertain within_run(const Samples& samples,
                     const std::vector<double>& sorted) {
  Uncertain estimate{median_of_sorted(sorted)};
  const auto groups = judged_groups(samples);
  if (groups.empty() || !(sorted.front() > 0)) return estimate;
  std::vector<double> logs, group;
  auto begin = samples.seconds.begin();
  for (const std::size_t size : groups) {
    const auto end = begin + static_cast<long>(size);
    group.assign(begin, end);
    logs.push_back(std::log(rearranged_median(group)));
    begin = end;
  }
  const auto count = static_cast<double>(logs.size());
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / count;
  double squares = 0;
  for (auto& log : logs) {
    log -= mean;
    squares += log * log;
  }
  estimate.variance = squares / (count - 1) / count * inflation(logs, squares);
  estimate.freedom = count - 1;
  return estimate;
}

}  // namespace

StudentsT::StudentsT(double freedom) : freedom_(std::min(freedom, 1e3)) {}

double StudentsT::below(double t) const {
  return boost::math::cdf(Distribution(freedom_), t);
}

double StudentsT::quantile(double probability) const {
  return boost::math::quantile(Distribution(freedom_), probability);
}

std::vector<std::size_t> judged_groups(const Samples& samples) {
  const std::size_t n = samples.seconds.size();
  std::vector<std::size_t> ends;  // of the batches
  for (const int batch : samples.batches) {
    ends.push_back((ends.empty() ? 0 : ends.back()) +
                   static_cast<std::size_t>(batch));
  }
  if (ends.empty() || ends.back() != n) {
    ends.clear();
    const std::size_t count =
        std::max(n / batch_assumed, std::min(n, groups_at_least));
    for (std::size_t i = 1; i <= count; ++i)
      ends.push_back(i * n / count);
  }
  std::vector<std::size_t> sizes;
  if (ends.size() < groups_at_least) return sizes;
  const std::size_t groups = std::min(ends.size(), groups_at_most);
  std::size_t begin = 0;
  for (std::size_t g = 1; g <= groups; ++g) {
    const std::size_t end = ends[g * ends.size() / groups - 1];
    sizes.push_back(end - begin);
    begin = end;
  }
  return sizes;
}

Interval Uncertain::interval(double confidence) const {
  if (!std::isfinite(variance)) return {};
  const double reach =
      std::sqrt(variance) * StudentsT(freedom).quantile((1 + confidence) / 2);
  return {value * std::exp(-reach), value * std::exp(reach)};
}

double median(std::vector<double> values) {
  return values.empty() ? 0 : rearranged_median(values);
}

Summary summarize(const Samples& samples) {
  Summary summary;
  summary.count = samples.seconds.size();
  summary.precision = infinity;
  if (samples.seconds.empty()) return summary;
  auto sorted = samples.seconds;
  boost::sort::pdqsort(sorted.begin(), sorted.end());
  summary.min = sorted.front();
  summary.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) /
                 static_cast<double>(sorted.size());
  const Uncertain own = within_run(samples, sorted);
  summary.median = own.value;
  summary.estimate = own;
  const Interval of_own = own.interval(confidence_of_all);
  if (std::isfinite(of_own.high))
    summary.precision = (of_own.high - of_own.low) / 2 / own.value;
  if (!std::isfinite(own.variance)) return summary;
  const double others =
      samples.between_runs * samples.between_runs + tick_variance_of(sorted);
  summary.estimate.variance = own.variance + others;
  summary.estimate.freedom =
      pooled_freedom(own.variance, own.freedom, others, infinity);
  summary.interval = summary.estimate.interval(confidence_of_all);
  return summary;
}

double tick_variance(const Samples& samples) {
  auto sorted = samples.seconds;
  std::ranges::sort(sorted);
  return tick_variance_of(sorted);
}

double relative_half_width(const Summary& summary) {
  return (summary.interval.high - summary.interval.low) / 2 / summary.median;
}

double relative_half_width(const Uncertain& estimate) {
  const auto [low, high] = estimate.interval();
  return (high - low) / 2 / estimate.value;
}

bool too_wide(const Summary& summary) {
  constexpr double widest = 0.25;
  const double width = relative_half_width(summary);
  return std::isfinite(width) && width > widest;
}

Uncertain operator/(const Uncertain& a, const Uncertain& b) {
  return {a.value / b.value, a.variance + b.variance,
          pooled_freedom(a.variance, a.freedom, b.variance, b.freedom)};
}

Uncertain operator+(const Uncertain& a, double exact) {
  const double share = a.value / (a.value + exact);
  return {a.value + exact, a.variance * share * share, a.freedom};
}

Uncertain mean_of(const std::vector<Uncertain>& estimates) {
  double sum = 0;
  for (const auto& estimate : estimates)
    sum += estimate.value;
  Uncertain mean{sum / static_cast<double>(estimates.size()), 0, infinity};
  for (const auto& estimate : estimates) {
    const double part =
        estimate.variance * (estimate.value / sum) * (estimate.value / sum);
    mean.freedom =
        pooled_freedom(mean.variance, mean.freedom, part, estimate.freedom);
    mean.variance += part;
  }
  return mean;
}

Ratio ratio(const Uncertain& quotient) {
  return {quotient.value, quotient.interval(confidence_of_all)};
}

Ratio ratio(const Uncertain& a, const Uncertain& b) {
  return ratio(a / b);
}

bool decided(const Ratio& ratio) {
  return std::isfinite(ratio.interval.high);
}
bool tied(const Ratio& ratio) {
  return decided(ratio) && ratio.interval.holds(1);
}
bool above(const Ratio& ratio, double bound) {
  return ratio.interval.low > bound;
}
bool below(const Ratio& ratio, double bound) {
  return ratio.interval.high < bound;
}

bool equal_within(const Ratio& ratio, double margin) {
  return ratio.interval.low >= 1 / (1 + margin) &&
         at_most_within(ratio, margin);
}

bool at_most_within(const Ratio& ratio, double margin) {
  return ratio.interval.high <= 1 + margin;
}

}  // namespace parlab
