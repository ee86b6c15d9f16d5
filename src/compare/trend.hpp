// How the times of points went from commit to commit.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compare/compare.hpp"
#include "record/run.hpp"

namespace parlab {

// A point at one commit, and what compare_records() says of it against the
// last commit before that has it.
struct TrendStep {
  std::string commit, date;  // of its first run at this commit
  Runs runs;
  Change change = Change::undecided;
  bool compared = false;  // ratio is known
  Ratio ratio = {};       // of its time over that of the step before
};

struct Trend {
  std::vector<TrendStep> steps;  // oldest first

  bool changed() const;  // became slower, faster or failed at some step
};

// Records of one machine, oldest first; emulated ones are left out. In the
// order in which points were first measured.
std::vector<Trend> trends_of(const std::vector<Record>& records,
                             const std::map<std::string, Run>& runs,
                             const CompareRules& rules = {});

}  // namespace parlab
