#include "claims/claim.hpp"

#include <algorithm>
#include <map>

#include "page/figures.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"
#include "render/markup.hpp"

namespace parlab::page {
namespace {

// "claim-v-obs3"
std::string claim_anchor(const Finding& finding) {
  return "claim-" + anchor(finding.id);
}

Text counted_verdicts(const std::vector<Finding>& findings) {
  std::map<Outcome, std::size_t> counts;
  for (const auto& finding : findings)
    ++counts[finding.outcome];
  std::vector<Text> parts;
  for (const auto outcome : every_value<Outcome>()) {
    parts.push_back(verdict_sign(outcome) + Text(outcome) + " " +
                    counts[outcome]);
  }
  return joined(parts);
}

Cell figure_of(const Finding& finding, const std::filesystem::path& figures) {
  if (finding.figure.empty()) return {};
  // The claim's group is the experiment, so the rest of the name is enough.
  const auto start = finding.report + "-";
  const bool own = finding.figure.starts_with(start);
  const auto name = own ? finding.figure.substr(start.size()) : finding.figure;
  if (!std::filesystem::exists(figures / (finding.figure + ".svg")))
    return {name, "not drawn: no records of it"};
  return {Link{name, "#" + figure_anchor(finding.figure)}};
}

std::string rule_anchor(const Finding& finding) {
  return "rule-" + anchor(finding.id);
}

void add_row(Table& table, const Finding& finding,
             const std::filesystem::path& figures) {
  auto numbers = finding.numbers;
  if (!finding.missing.empty()) {
    numbers +=
        (numbers.empty() ? "Missing: " : "; missing: ") + finding.missing;
  }
  const Link link{finding.id, "#" + claim_anchor(finding)};
  table.add({Cell(link, {}, rule_anchor(finding)),
             verdict_sign(finding.outcome) + outcome_of(finding),
             Cell(finding.sentence, "Rule: " + finding.rule), numbers,
             figure_of(finding, figures)});
}

LinkCell cell_of(const Finding& finding, const std::string& target) {
  return {.sign = verdict_sign(finding.outcome),
          .text = finding.id,
          .target = target,
          .hint = outcome_of(finding) + ": " + finding.sentence,
          .kind = "v" + std::to_string(static_cast<int>(finding.outcome))};
}

// Lists each claim of one report, with its verdict and a short reason.
LinkGrid list_of(const std::vector<Finding>& findings,
                 const std::string& report) {
  LinkGrid list{.title = report, .rows = {{}}, .list = true};
  for (const auto& finding : findings) {
    if (finding.report != report) continue;
    auto cell = cell_of(finding, "#" + claim_anchor(finding));
    cell.id = claim_anchor(finding);
    // The rule says how to make missing measurements.
    const Text found = finding.outcome == Outcome::cannot_be_tested
                           ? Text("No measurement here decides it")
                           : "Judged by: " + finding.brief;
    cell.says = {Strong{outcome_of(finding)} + ". The report " + report +
                     " says: " + finding.sentence,
                 found + (finding.brief.empty() ? ". " : "; ") +
                     Link{"rule and all numbers", "#" + rule_anchor(finding)}};
    list.rows.front().cells.push_back(std::move(cell));
  }
  return list;
}

}  // namespace

std::string verdict_sign(Outcome outcome) {
  constexpr const char* signs[] = {"● ", "◕ ", "◐ ", "○ ", "– "};
  return signs[static_cast<std::size_t>(outcome)];
}

std::string how_many(const std::vector<Finding>& findings, Outcome outcome) {
  const auto count = std::ranges::count(findings, outcome, &Finding::outcome);
  return of_all(static_cast<std::size_t>(count), findings.size());
}

std::vector<Block> claims_grid(const std::vector<Judged>& machines) {
  std::vector<Block> grids;
  if (machines.empty()) return grids;
  const auto& first = machines.front().findings;
  for (const auto& report : reports_of(first)) {
    LinkGrid grid{.title = report};
    for (const auto& [machine, page, findings] : machines) {
      LinkRow row{.name = machines.size() > 1 ? machine : ""};
      for (const auto& finding : findings) {
        if (finding.report != report) continue;
        row.cells.push_back(
            cell_of(finding, page + "#" + claim_anchor(finding)));
      }
      grid.rows.push_back(std::move(row));
    }
    grids.push_back(std::move(grid));
  }
  return grids;
}

bool any_tested(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [](const Finding& finding) {
    return !finding.computed && finding.outcome != Outcome::cannot_be_tested;
  });
}

Section claims(const std::vector<Finding>& findings,
               const std::filesystem::path& figures) {
  auto table =
      folded_table("Every claim with its rule",
                   {"Claim", "Verdict", "What it says, and the rule applied",
                    "Numbers", "Figure"});
  for (const auto& report : reports_of(findings)) {
    table.add({report}).heading = true;
    for (const auto& finding : findings) {
      if (finding.report == report) add_row(table, finding, figures);
    }
  }
  Section section{
      .id = "claims",
      .title = "Do the claims of the source reports hold?",
      .label = "Claims",
      .blocks = {
          Paragraph{(any_tested(findings)
                         ? how_many(findings, Outcome::holds) +
                               " claims and observations hold here. "
                         : "No measurement of this machine tests a claim of "
                           "the reports. Those that are decided below are "
                           "computed, not measured. ") +
                    counted_verdicts(findings) +
                    ". Each links to its text and to the reason why it holds "
                    "or not."},
          remark("\"5 of 6, 1 undecided\": the rule holds at 5 of the 6 "
                 "places where the samples decide; at 1 more they cannot "
                 "decide. A tie: no measurable difference.")}};
  section.add(claims_grid({{"", "", findings}}));
  for (const auto& report : reports_of(findings))
    section.add(list_of(findings, report));
  section.add(table);
  return section;
}

}  // namespace parlab::page
