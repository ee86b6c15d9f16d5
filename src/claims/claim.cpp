#include "claims/claim.hpp"

#include <algorithm>

#include "claims/rule.hpp"

namespace parlab {

std::string outcome_of(const Finding& finding) {
  return std::string(to_string(finding.outcome)) +
         (finding.computed ? ", computed" : "");
}

std::vector<std::string> reports_of(const std::vector<Finding>& findings) {
  std::vector<std::string> reports;
  for (const auto& finding : findings) {
    if (std::ranges::find(reports, finding.report) == reports.end())
      reports.push_back(finding.report);
  }
  return reports;
}

std::vector<Finding> judge_claims(const std::vector<Record>& records,
                                  const std::vector<Run>& runs,
                                  const std::string& only) {
  const Evidence evidence(records, runs);
  std::vector<Finding> findings;
  for (const auto& claim : all_claims()) {
    if (!only.empty() && claim.id != only) continue;
    findings.push_back({claim, claim.judge(evidence)});
    auto& found = findings.back();
    if (found.brief.empty()) found.brief = found.numbers;
  }
  return findings;
}

}  // namespace parlab
