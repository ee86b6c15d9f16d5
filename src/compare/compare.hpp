// Two sets of records, point by point: what became slower, faster,
// stayed, or cannot be told.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "record/record.hpp"
#include "statistics/hypotheses.hpp"

namespace parlab {

// In the order in which they matter. failed: it passed before and does not now.
PARLAB_ENUM(Change, "change", (failed, "failed"), (slower, "slower"),
            (faster, "faster"), (undecided, "undecided"), (same, "same"))

struct CompareRules {
  // Ratios within 1/(1+margin) and 1+margin count as no change. The
  // larger margin is for points with one run on a side: it stands for
  // what differs between runs of one binary.
  double margin = 0.02, margin_of_one_run = 0.05;
  // slower, faster: the chance of one of them in the whole comparison
  // though nothing changed by more than the margin. same: the chance at
  // each point that did change by more.
  double error = 0.05;
};

// All timed runs of one point on one side, and its last record,
// which has the verdict.
struct Runs {
  Record last;
  std::vector<Samples> samples = {};  // of each run, oldest first

  double median() const;  // of the medians of all runs
};

// The runs of one point, oldest first. Each run counts with its last record.
Runs runs_of(const std::vector<Record>& of_point);
// The same for each point; emulated records are left out.
std::vector<Runs> runs_of_points(std::vector<Record> records);

struct ComparedPoint {
  Runs before, after;
  Change change = Change::undecided;
  // of a failed point, and of one with too few samples: ratio 1, p 1
  RatioTest test;
  double adjusted_p = 1;  // p_differs by Holm over all points
  bool tested = false;
  // An undecided point needs so many on each side; 20 means 20 or more.
  int runs_needed = 0;

  // Several runs on both sides: what differs between runs is in the test.
  bool by_runs() const {
    return before.samples.size() > 1 && after.samples.size() > 1;
  }
};

struct Comparison {
  // by change; within one, the largest change first
  std::vector<ComparedPoint> points;
  // points that the other side lacks
  std::size_t only_before = 0, only_after = 0;
  std::size_t without_time = 0;  // on both sides, but not timed on both
  // of these: timed before, and now its device is not there
  std::size_t without_device = 0;

  std::size_t count(Change change) const;
  std::size_t tested() const;
  // How many of the tested points have several runs on both sides.
  std::size_t by_runs() const;
  // How many points more runs would decide, and how many of each side would
  // decide most of them.
  std::size_t waiting_for_runs() const;
  int runs_needed() const;
  // The largest ratio by which two runs of one binary differ in 19 of 20
  // cases, at the worst of the points that have one run on a side: less
  // cannot be told from no change. 1 without such points.
  double told_by_one_run() const;
};

// Equal points have the same workload, size, dtype, cache, variant and
// tunables. A side counts those of its runs that were made from the same
// source as its last one; the two sides may differ in it. Emulated records
// are left out. Each side is of one machine.
Comparison compare_records(std::vector<Record> before,
                           std::vector<Record> after,
                           const CompareRules& rules = {});

}  // namespace parlab
