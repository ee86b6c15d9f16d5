// Claims of the source reports, judged by the records of one machine.
#pragma once

#include <string>
#include <vector>

#include "facts/document.hpp"
#include "record/record.hpp"

namespace parlab {

// For a claim of several parts. Holds in part: some do not hold. Holds where
// tested: all parts hold that could be tested here.
PARLAB_ENUM(Outcome, "outcome", (holds, "holds"),
            (holds_where_tested, "holds where tested"),
            (holds_in_part, "holds in part"), (does_not_hold, "does not hold"),
            (cannot_be_tested, "cannot be tested here"))

struct Judgement {
  Outcome outcome = Outcome::cannot_be_tested;
  // the values that the rule was applied to: "5.1x at 32768 ... 7.4x at 262144"
  Text numbers;
  // If it cannot be tested: the run or counter that would be needed, or why
  // none would help. Empty if everything was tested.
  std::string missing;
  // decided by construction or from published numbers, not by records
  bool computed = false;
  Text brief = {};  // the numbers at a glance; empty if they are short
};

class Evidence;  // claims/rule.hpp
struct Claim {
  std::string id;        // "V1"; an observation of the digest: "V-obs3"
  std::string report;    // experiment that tests it: "vector-sum"
  std::string sentence;  // the claim, briefly in our own words
  // what is checked: "BRW at least 2x RW at every n and block size"
  std::string rule;
  // File stem of the figure that shows it, "vector-sum-7-speedup"; may be
  // empty.
  std::string figure;
  Judgement (*judge)(const Evidence& evidence);
};

// Here `brief` is never empty if there are numbers.
struct Finding : Claim, Judgement {};

// "holds, computed" where nothing was measured
std::string outcome_of(const Finding& finding);

// The reports of these findings, in the order of their first findings.
std::vector<std::string> reports_of(const std::vector<Finding>& findings);

// Every claim of the digest in the order P, S, C, V, T, followed by its
// observations. Only the latest records count, and only if they passed, were
// timed and were not emulated. All records must come from one machine. only:
// the claim to judge; empty: all.
std::vector<Finding> judge_claims(const std::vector<Record>& records,
                                  const std::vector<Run>& runs,
                                  const std::string& only = {});

}  // namespace parlab
