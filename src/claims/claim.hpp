// What the source reports claim, judged by the records of one machine.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "facts/document.hpp"
#include "record/record.hpp"

namespace parlab {

// Of a claim of several parts: in part, where some do not hold; where tested,
// where all do that could be tested here.
PARLAB_ENUM(Outcome, "outcome", (holds, "holds"),
            (holds_where_tested, "holds where tested"),
            (holds_in_part, "holds in part"), (does_not_hold, "does not hold"),
            (cannot_be_tested, "cannot be tested here"))

struct Finding {
  std::string id;        // "V1"; an observation of the digest: "V-obs3"
  std::string report;    // experiment that tests it: "vector-sum"
  std::string sentence;  // the claim, in our words, short
  // what was checked: "BRW at least 2x RW at every n and block size"
  std::string rule;
  // what it was applied to: "5.1x at 32768 ... 7.4x at 262144"
  Text numbers;
  Outcome outcome = Outcome::cannot_be_tested;
  // When it cannot be tested: which run or counter would do, or why none can.
  std::string missing;
  // File stem of the figure that shows it, "vector-sum-7-speedup";
  // may be empty.
  std::string figure;
  // by construction, or from what was published: no record decides it
  bool computed = false;
  Text brief = {};  // the numbers at a glance
};

// "holds, computed" where nothing was measured
std::string outcome_of(const Finding& finding);

// Their reports, in the order of their first findings.
std::vector<std::string> reports_of(const std::vector<Finding>& findings);

// Every claim of the digest in the order P, S, C, V, T, then its observations.
// Only the latest records that passed, were timed and were not emulated
// count. The records are those of one machine.
std::vector<Finding> judge_claims(const std::vector<Record>& records,
                                  const std::vector<Run>& runs);

}  // namespace parlab
