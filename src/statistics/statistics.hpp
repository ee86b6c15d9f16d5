// Medians, their intervals, and ratios of them. Spreads are judged only here.
//
// The model: the samples of a run come in batches. Samples of one batch share
// the state of caches and clocks, so they are not independent, but batches are
// (batch means: Law, Simulation Modeling and Analysis, section 9.5). The
// remaining correlation between neighbouring batches is corrected. In addition,
// two runs of one binary differ, because memory lies elsewhere and the machine
// has another temperature. No number of samples of one run shows that. It is
// measured once per machine and given with the samples (Kalibera and Jones,
// Rigorous benchmarking in reasonable time, 2013). Both are spreads of the
// logarithm, because times are positive and vary in proportion.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "facts/quantity.hpp"

namespace parlab {

// Student's t distribution. Accurate to only eight digits, because every record
// asks for it.
class StudentsT {
 public:
  // freedom: degrees of freedom, above 0, else std::domain_error. Above a
  // thousand they count as a thousand, where t is nearly the normal
  // distribution.
  explicit StudentsT(double freedom);

  // The probability of a value below t, and that of one above it.
  double below(double t) const;
  double above(double t) const { return below(-t); }
  // The t below which a value lies with this probability, in (0, 1).
  double quantile(double probability) const;

 private:
  double freedom_;
};

// The samples of one run, in the order in which they were taken.
struct Samples {
  std::vector<double> seconds;
  // number of samples in each batch; empty if unknown
  std::vector<int> batches = {};
  // standard deviation of the medians of runs, as a share of the median
  double between_runs = 0;
};

// A positive number known up to a spread.
struct Uncertain {
  double value = 0;
  // variance of its logarithm
  double variance = std::numeric_limits<double>::infinity();
  double freedom = 1;  // degrees of freedom of that variance

  bool operator==(const Uncertain&) const = default;
  // By Student's t; [0, infinity) if the variance is unknown.
  Interval interval(double confidence = 0.95) const;
};

struct Summary {
  std::size_t count = 0;
  double median = 0, min = 0, mean = 0;
  Uncertain estimate;  // of the median over all runs
  // 95 % interval of the median; [0, infinity) if there are too few samples
  Interval interval;
  // half width of the interval, relative to the median, if all runs were equal
  // and the clock perfect; more samples make it smaller; infinite if there are
  // too few
  double precision = 0;

  bool operator==(const Summary&) const = default;
};

double median(std::vector<double> values);  // 0 if there are none

// At least four batches are needed for an interval. If the batches are unknown,
// they are assumed to have 12 samples each, or to be four if there are few
// samples. The tick of the clock, the smallest difference between two samples,
// counts as an uncertainty of its own.
Summary summarize(const Samples& samples);

// Sizes of the groups of neighbouring samples whose medians are judged. There
// are up to ten groups, each of one or several neighbouring batches; with too
// few batches there are none. The order of samples matters only through these
// groups.
std::vector<std::size_t> judged_groups(const Samples& samples);

// Variance of the median's logarithm due to the tick of the clock, which more
// samples cannot reduce.
double tick_variance(const Samples& samples);

// Half of the interval's width over the median: 0.01 means "known to 1 %".
double relative_half_width(const Summary& summary);
double relative_half_width(const Uncertain& estimate);

// Whether an interval reaches so far to each side that its median should not be
// quoted. Slow executions may have too few samples for an interval.
bool too_wide(const Summary& summary);

// ---- arithmetic of numbers that are independent

// Degrees of freedom by Welch, Biometrika 34, 1947, and Satterthwaite.

Uncertain operator/(const Uncertain& a, const Uncertain& b);
Uncertain operator+(const Uncertain& a, double exact);
Uncertain mean_of(const std::vector<Uncertain>& estimates);

// ---- verdicts ---------------------------------------------------------------

// The quotient of two numbers, with its 95 % interval.
struct Ratio {
  double value = 1;
  Interval interval = {};
};
Ratio ratio(const Uncertain& a, const Uncertain& b);  // a / b
Ratio ratio(const Uncertain& quotient);

// False if too few samples leave the interval without an upper end.
bool decided(const Ratio& ratio);
// Whether the data leave open on which side of 1 the ratio lies.
bool tied(const Ratio& ratio);
// Whether the interval lies above the bound, or below it.
bool above(const Ratio& ratio, double bound);
bool below(const Ratio& ratio, double bound);
// Equivalence must be shown: the whole interval lies between 1 / (1 + margin)
// and 1 + margin (Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15,
// 1987), or, in at_most_within(), below the upper bound.
bool equal_within(const Ratio& ratio, double margin);
// at most 1 + margin
bool at_most_within(const Ratio& ratio, double margin);

}  // namespace parlab
