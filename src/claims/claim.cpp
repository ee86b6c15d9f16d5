#include "claims/claim.hpp"

#include "claims/rule.hpp"

namespace parlab {

std::string outcome_of(const Finding& finding) {
  return std::string(to_string(finding.outcome)) +
         (finding.computed ? ", computed" : "");
}

std::vector<Finding> judge_claims(const std::vector<Record>& records,
                                  const std::vector<Run>& runs) {
  const Evidence evidence(records, runs);
  std::vector<Finding> findings;
  for (const auto& claim : all_claims()) {
    auto judgement = claim.judge(evidence);
    findings.push_back({claim.id, claim.report, claim.sentence, claim.rule,
                        std::move(judgement.numbers), judgement.outcome,
                        std::move(judgement.missing), claim.figure,
                        judgement.computed});
  }
  return findings;
}

}  // namespace parlab
