// How the times of points changed from commit to commit.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compare/compare.hpp"
#include "record/run.hpp"

namespace parlab {

// A point at one commit, and the result of compare_records() against the last
// earlier commit that has it.
struct TrendStep {
  std::string commit, date;  // those of its first run at this commit
  Runs runs;
  Change change = Change::undecided;
  bool compared = false;  // whether ratio is known
  Ratio ratio = {};       // its time over that of the previous step
};

struct Trend {
  std::vector<TrendStep> steps;  // oldest first

  // whether it became slower, faster or failed at any step
  bool changed() const;
};

// records: of one machine, oldest first; emulated ones are left out. The result
// is in the order in which points were first measured.
std::vector<Trend> trends_of(const std::vector<Record>& records,
                             const std::map<std::string, Run>& runs,
                             const CompareRules& rules = {});

}  // namespace parlab
