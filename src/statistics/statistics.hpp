// Order statistics of samples: no assumption about their distribution.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace parlab {

struct Interval {
  double low = 0, high = 0;
  bool overlaps(const Interval& other) const { return low <= other.high && other.low <= high; }
};

struct Summary {
  std::size_t count = 0;
  double median = 0, min = 0, mean = 0;
  Interval interval;  // of the median, at the confidence asked for; [0, infinity) when too few
};

// Interval of the median between two order statistics: binomial quantiles, conservative.
// David and Nagaraja, Order Statistics, section 7.1. Needs 6 samples for 95 %.
Summary summarize(std::vector<double> samples, double confidence = 0.95);

// Half of the interval's width over the median: 0.01 is "known to 1 %".
double relative_half_width(const Summary& summary);

// The confidences of two medians that make at least 95 % for their ratio (Bonferroni): 97.5 % each.
// Six samples cannot give more than 96.875 %; then the other median takes what is left.
std::pair<double, double> ratio_confidences(std::size_t samples, std::size_t other_samples);

// median(a) / median(b) with an interval of at least 95 %: the intervals of both medians at these
// confidences, divided at their ends.
struct Ratio {
  double value = 0;
  Interval interval;
};
Ratio ratio_of_medians(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace parlab
