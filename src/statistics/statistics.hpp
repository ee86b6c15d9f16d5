// Medians, their intervals, and ratios of them: the only place
// where a spread is judged.
//
// The model. The samples of a run come in batches; those of one batch share
// the state of caches and clocks and are no independent samples, so batches
// are (batch means: Law, Simulation Modeling and Analysis, section 9.5),
// with what correlation is left between neighbours taken out. And two runs
// of one binary differ, by where memory lies and how warm the machine is,
// which no number of samples of one run shows: that part is measured once
// per machine and given with the samples (Kalibera and Jones, Rigorous
// benchmarking in reasonable time, 2013). Both are spreads of the logarithm,
// for times are positive and vary in proportion.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "facts/quantity.hpp"

namespace parlab {

// The samples of one run, in the order they were taken.
struct Samples {
  std::vector<double> seconds;
  // how many each batch has; empty when that is not known
  std::vector<int> batches = {};
  // standard deviation of the medians of runs, as a share of them
  double between_runs = 0;
};

// A positive number known up to a spread.
struct Uncertain {
  double value = 0;
  // of its logarithm
  double variance = std::numeric_limits<double>::infinity();
  double freedom = 1;  // degrees, of that variance

  bool operator==(const Uncertain&) const = default;
  // By Student's t; [0, infinity) when the variance is not known.
  Interval interval(double confidence = 0.95) const;
};

struct Summary {
  std::size_t count = 0;
  double median = 0, min = 0, mean = 0;
  Uncertain estimate;  // of the median over all runs
  // of it, 95 %; [0, infinity) when there are too few samples
  Interval interval;
  // half width of that interval over the median, were runs all alike and the
  // clock perfect: what more samples make smaller; infinite for too few
  double precision = 0;

  bool operator==(const Summary&) const = default;
};

double median(std::vector<double> values);  // 0 when there are none

// Four batches at the least have an interval. Samples whose batches are
// not known are taken to come in batches of 12, or in four when they are
// few. The tick of the clock, the least difference between two samples,
// counts as an uncertainty of its own.
Summary summarize(const Samples& samples);

// Sizes of the groups of neighbouring samples whose medians are judged: ten
// batches, or as many of neighbouring ones; with too few batches none. Nothing
// else than the groups is asked of the order of samples.
std::vector<std::size_t> judged_groups(const Samples& samples);

// Variance of the logarithm of the median by the tick of the clock, which no
// number of samples makes less.
double tick_variance(const Samples& samples);

// Half of the interval's width over the median: 0.01 is "known to 1 %".
double relative_half_width(const Summary& summary);
double relative_half_width(const Uncertain& estimate);

// ---- arithmetic of numbers that are independent

// Degrees of freedom by Welch, Biometrika 34, 1947, and Satterthwaite.

Uncertain operator/(const Uncertain& a, const Uncertain& b);
Uncertain operator+(const Uncertain& a, double exact);
Uncertain mean_of(const std::vector<Uncertain>& estimates);

// ---- verdicts ---------------------------------------------------------------

// One number over another, with its 95 % interval.
struct Ratio {
  double value = 1;
  Interval interval = {};
};
Ratio ratio(const Uncertain& a, const Uncertain& b);  // a / b
Ratio ratio(const Uncertain& quotient);

// Too few samples leave the interval without an end: then nothing is decided.
bool decided(const Ratio& ratio);
// The data do not say on which side of 1 the ratio lies.
bool tied(const Ratio& ratio);
// The interval lies above the bound, or below it.
bool above(const Ratio& ratio, double bound);
bool below(const Ratio& ratio, double bound);
// Equivalence is shown and not assumed: the whole interval lies within
// 1 / (1 + margin) and 1 + margin (Schuirmann, J. Pharmacokinetics and
// Biopharmaceutics 15, 1987), or on one side alone.
bool equal_within(const Ratio& ratio, double margin);
// no more than 1 + margin
bool at_most_within(const Ratio& ratio, double margin);

}  // namespace parlab
