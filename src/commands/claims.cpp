// `parlab claims`: the claims of the source reports, judged by records.

#include <algorithm>
#include <boost/algorithm/string/erase.hpp>
#include <map>
#include <ostream>

#include "claims/claim.hpp"
#include "cli/run_options.hpp"
#include "commands/record_files.hpp"
#include "record/store.hpp"
#include "render/csv.hpp"
#include "render/json.hpp"
#include "render/terminal.hpp"

namespace parlab {
namespace {

struct Machine {
  std::vector<Record> records;
  std::vector<Run> runs;
};

// For programs.
Table table_of_findings() {
  return {
      .key = "claim",
      .columns = keyed({"machine", "id", "report", "claim", "rule", "numbers",
                        "outcome", "computed", "missing", "figure"})};
}

void add_findings(Table& table, const std::string& machine,
                  const std::vector<Finding>& findings) {
  for (const auto& one : findings) {
    table.rows.push_back(
        row_of({machine, one.id, one.report, one.sentence, one.rule,
                one.numbers, to_string(one.outcome),
                one.computed ? "yes" : "no", one.missing, one.figure}));
  }
}

void add_finding(Table& table, const Finding& finding) {
  table.rows.push_back(row_of({"  " + finding.id, outcome_of(finding)}));
  const std::pair<const char*, Text> fields[] = {
      {"    claim", finding.sentence},
      {"    rule", finding.rule},
      {"    numbers", finding.numbers},
      {"    missing", finding.missing},
      {"    figure", finding.figure}};
  for (const auto& [title, text] : fields) {
    if (!text.empty()) table.rows.push_back(row_of({title, text}));
  }
}

// "holds 3, where tested 1, in part 2": the word once, for the line is long
Text counts_of_outcomes(const std::vector<Finding>& findings) {
  Text text = std::to_string(findings.size()) + " claims";
  for (const auto outcome : every_value<Outcome>()) {
    const auto count = std::ranges::count(findings, outcome, &Finding::outcome);
    std::string word(to_string(outcome));
    if (outcome != Outcome::holds) boost::erase_first(word, "holds ");
    text += (outcome == Outcome::holds ? ": " : ", ") + word + " " +
            std::to_string(count);
  }
  return text;
}

// Reports in the order of their first claim, with the observations behind the
// claims.
Document document_of_findings(const std::string& title,
                              const std::vector<Finding>& findings) {
  Document document{.title = title};
  for (const auto& report : reports_of(findings)) {
    Table table{.columns = {{}, {.widest = 88}}};
    for (const auto& finding : findings) {
      if (finding.report == report) add_finding(table, finding);
    }
    document.blocks.push_back(Section{.title = report, .blocks = {table}});
  }
  document.blocks.push_back(Paragraph{counts_of_outcomes(findings)});
  return document;
}

// Every claim for each machine in the records, by report.
int print_claims(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"table", "csv", "json"});
  auto& out = streams.out;
  std::map<std::string, Machine> machines;
  std::vector<std::string> warnings;
  for (const auto& path : arguments.positional) {
    auto loaded = load_records(record_path(path));
    for (auto& [id, run] : loaded.runs)
      machines[run.machine].runs.push_back(std::move(run));
    for (auto& record : loaded.records)
      machines[record.machine].records.push_back(std::move(record));
    std::move(loaded.warnings.begin(), loaded.warnings.end(),
              std::back_inserter(warnings));
  }
  auto all = table_of_findings();
  for (const auto& [name, machine] : machines) {
    const auto findings = judge_claims(machine.records, machine.runs);
    if (format != "table") {
      add_findings(all, name, findings);
      continue;
    }
    const auto& last = machine.runs.back();
    out << (name == machines.begin()->first ? "" : "\n")
        << terminal(document_of_findings(
               "Claims of the source reports on " + name + ": " +
                   (last.gpu.empty() ? "no GPU" : last.gpu) + ", " + last.cpu,
               findings));
  }
  if (format == "csv") out << csv(all);
  if (format == "json") out << json_lines(all);
  streams.warn(warnings);
  return EXIT_SUCCESS;
}

const CommandRegistration claims_command(
    {.name = "claims",
     .usage = "<records>... [options]",
     .help = "Says which conclusions of the source reports the records of a "
             "machine bear out.",
     .options = [] { return run_options({"format"}); },
     .run = print_claims,
     .least = 1,
     .needs = "the records: results/MACHINE"});

}  // namespace

}  // namespace parlab
