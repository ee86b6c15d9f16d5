#include "claims/claim.hpp"

#include <algorithm>
#include <map>

#include "page/figures.hpp"
#include "page/sections.hpp"
#include "page/table.hpp"
#include "page/words.hpp"

namespace parlab::page {
namespace {

Row row_of(const Finding& finding, const std::filesystem::path& figures) {
  Cell figure{"–"};
  if (!finding.figure.empty()) {
    const bool there =
        std::filesystem::exists(figures / (finding.figure + ".svg"));
    // The group the claim stands in is the experiment:
    // what follows it is enough.
    const auto start = finding.report + "-";
    const bool own = finding.figure.starts_with(start);
    figure.text = own ? finding.figure.substr(start.size()) : finding.figure;
    if (there) {
      figure.link = "#" + figure_anchor(finding.figure);
    } else {
      figure.note = "not drawn: no records of it";
    }
  }
  auto numbers = finding.numbers;
  if (!finding.missing.empty()) {
    numbers +=
        (numbers.empty() ? "Missing: " : "; missing: ") + finding.missing;
  }
  return {{finding.id, "", "", claim_anchor(finding)},
          verdict_cell(finding),
          {finding.sentence, "Rule: " + typeset(finding.rule)},
          {typeset(numbers)},
          figure};
}

}  // namespace

std::string verdict_sign(Outcome outcome) {
  switch (outcome) {
    case Outcome::holds:
      return "● ";
    case Outcome::holds_where_tested:
      return "◕ ";
    case Outcome::holds_in_part:
      return "◐ ";
    case Outcome::does_not_hold:
      return "○ ";
    default:
      return "– ";
  }
}

Cell verdict_cell(const Finding& finding) {
  return {verdict_sign(finding.outcome) + outcome_of(finding)};
}

std::string claim_anchor(const Finding& finding) {
  return "claim-" + anchor(finding.id);
}

void write_claims(Html& html,
                  const std::vector<Finding>& findings,
                  const std::filesystem::path& figures) {
  html.open("section", {{"id", "claims"}})
      .element("h2", "Claims of the source reports");
  std::vector<std::string> reports;
  std::map<Outcome, std::size_t> counts;
  for (const auto& finding : findings) {
    ++counts[finding.outcome];
    if (std::find(reports.begin(), reports.end(), finding.report) ==
        reports.end()) {
      reports.push_back(finding.report);
    }
  }
  std::string summary =
      counted(findings.size(), "claim") + " and observations: ";
  for (const auto outcome : every_value<Outcome>()) {
    summary += (outcome == Outcome::holds ? "" : ", ") + verdict_sign(outcome) +
               std::string(to_string(outcome)) + " " +
               std::to_string(counts[outcome]);
  }
  html.element("p", summary + ".");
  std::vector<Row> rows;
  for (const auto& report : reports) {
    rows.push_back({{report}});
    for (const auto& finding : findings) {
      if (finding.report == report) rows.push_back(row_of(finding, figures));
    }
  }
  html.open("details", {{"class", "printed"}})
      .element("summary", "Every claim with its rule");
  write_cards(html,
              {"Claim", "Verdict", "What it says, and the rule applied",
               "Numbers", "Figure"},
              rows);
  html.close().close().line_break();
}

}  // namespace parlab::page
