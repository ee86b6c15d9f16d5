// Compares two sets of records point by point: slower, faster, the same, or
// undecided.
#pragma once

#include <cstddef>
#include <vector>

#include "record/record.hpp"
#include "statistics/hypotheses.hpp"

namespace parlab {

// In order of importance. failed: it passed before and does not now.
PARLAB_ENUM(Change, "change", (failed, "failed"), (slower, "slower"),
            (faster, "faster"), (undecided, "undecided"), (same, "same"))

struct CompareRules {
  // Ratios between 1/(1+margin) and 1+margin count as no change.
  // margin_of_one_run is larger, because with one run on a side it must cover
  // the difference between runs of one binary.
  double margin = 0.02, margin_of_one_run = 0.05;
  // For slower and faster: the probability that any is reported in the whole
  // comparison though nothing changed by more than the margin. For same: the
  // probability at each point that did change by more.
  double error = 0.05;
};

// All timed runs of one point on one side, and its last record, which has the
// verdict.
struct Runs {
  Record last;
  std::vector<Samples> samples = {};  // one per run, oldest first

  double median() const;  // median over the medians of all runs
};

// The runs of one point, oldest first. The last record of each run counts.
Runs runs_of(const std::vector<Record>& of_point);
// The same for each point; emulated records are left out.
std::vector<Runs> runs_of_points(std::vector<Record> records);

struct ComparedPoint {
  Runs before, after;
  Change change = Change::undecided;
  // for a failed point, or one with too few samples: ratio 1, p 1
  RatioTest test;
  double adjusted_p = 1;  // p_differs adjusted by Holm over all points
  bool tested = false;
  // Number of runs per side that would decide an undecided point; 20 means 20
  // or more.
  int runs_needed = 0;

  // Whether both sides have several runs, so that the test includes differences
  // between runs.
  bool by_runs() const {
    return before.samples.size() > 1 && after.samples.size() > 1;
  }
};

struct Comparison {
  // by change; within one, the largest change first
  std::vector<ComparedPoint> points;
  // points that exist only on one side
  std::size_t only_before = 0, only_after = 0;
  // points on both sides that are not timed on both
  std::size_t without_time = 0;
  // those of them that were timed before and whose device is now missing
  std::size_t without_device = 0;

  std::size_t count(Change change) const;
  std::size_t tested() const;
  // Number of tested points with several runs on both sides.
  std::size_t by_runs() const;
  // Number of points that more runs would decide, and the runs per side that
  // would decide most of them.
  int runs_needed() const;
  // The ratio within which two runs of one binary lie in 19 of 20 cases, for
  // the worst of the points with one run on a side. Smaller changes cannot be
  // told from no change. 1 without such points.
  double told_by_one_run() const;
};

// Equal points have the same workload, size, dtype, cache, variant and
// tunables. On each side, only runs made from the same source as its last one
// count; the two sides may differ in source. Emulated records are left out.
// Each side must come from one machine.
Comparison compare_records(std::vector<Record> before,
                           std::vector<Record> after,
                           const CompareRules& rules = {});

}  // namespace parlab
