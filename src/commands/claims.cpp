// `parlab claims`: the claims of the source reports, judged by records.

#include <algorithm>
#include <boost/algorithm/string/erase.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "claims/claim.hpp"
#include "cli/run_options.hpp"
#include "commands/record_files.hpp"
#include "core/text.hpp"
#include "record/store.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

constexpr std::size_t width = 100, indent = 12;

struct Machine {
  std::vector<Record> records;
  std::vector<Run> runs;
};

void print_field(std::ostream& out,
                 const std::string& title,
                 const std::string& text) {
  if (text.empty()) return;
  auto head = "    " + title;
  head.resize(indent, ' ');
  for (const auto& line : wrap(text, width - indent)) {
    out << head << line << '\n';
    head.assign(indent, ' ');
  }
}

void print_finding(std::ostream& out, const Finding& finding) {
  auto head = "  " + finding.id;
  head.resize(std::max(indent, head.size() + 1), ' ');
  out << head << outcome_of(finding) << '\n';
  print_field(out, "claim", finding.sentence);
  print_field(out, "rule", finding.rule);
  print_field(out, "numbers", words(finding.numbers));
  print_field(out, "missing", finding.missing);
  print_field(out, "figure", finding.figure);
}

// Reports in the order of their first claim, with the
// observations behind the claims.
void print_table(std::ostream& out, const std::vector<Finding>& findings) {
  std::vector<std::string> reports;
  std::map<Outcome, int> counts;
  for (const auto& finding : findings) {
    ++counts[finding.outcome];
    if (std::find(reports.begin(), reports.end(), finding.report) ==
        reports.end()) {
      reports.push_back(finding.report);
    }
  }
  for (const auto& report : reports) {
    out << report << '\n';
    for (const auto& finding : findings) {
      if (finding.report == report) print_finding(out, finding);
    }
    out << '\n';
  }
  // "holds 3, where tested 1, in part 2": the word once, for the line is long
  out << findings.size() << " claims";
  for (const auto outcome : every_value<Outcome>()) {
    std::string word(to_string(outcome));
    if (outcome != Outcome::holds) boost::erase_first(word, "holds ");
    out << (outcome == Outcome::holds ? ": " : ", ") << word << ' '
        << counts[outcome];
  }
  out << '\n';
}

void print_json(std::ostream& out,
                const std::string& machine,
                const std::vector<Finding>& findings) {
  for (const auto& finding : findings) {
    const nlohmann::ordered_json json{{"machine", machine},
                                      {"id", finding.id},
                                      {"report", finding.report},
                                      {"claim", finding.sentence},
                                      {"rule", finding.rule},
                                      {"numbers", words(finding.numbers)},
                                      {"outcome", to_string(finding.outcome)},
                                      {"computed", finding.computed},
                                      {"missing", finding.missing},
                                      {"figure", finding.figure}};
    out << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
        << '\n';
  }
}

// Every claim for each machine in the records: as text of 100 columns, grouped
// by report, or as one JSON object per line.
int print_claims(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"table", "json"});
  auto& out = streams.out;
  std::map<std::string, Machine> machines;
  std::vector<std::string> warnings;
  for (const auto& path : arguments.positional) {
    auto loaded = load_records(record_path(path));
    for (auto& [id, run] : loaded.runs)
      machines[run.machine].runs.push_back(std::move(run));
    for (auto& record : loaded.records) {
      machines[record.machine].records.push_back(std::move(record));
    }
    std::move(loaded.warnings.begin(), loaded.warnings.end(),
              std::back_inserter(warnings));
  }
  for (const auto& [name, machine] : machines) {
    const auto findings = judge_claims(machine.records, machine.runs);
    if (format == "json") {
      print_json(out, name, findings);
      continue;
    }
    const auto& last = machine.runs.back();
    out << (name == machines.begin()->first ? "" : "\n")
        << "Claims of the source reports on " << name << ": "
        << (last.gpu.empty() ? "no GPU" : last.gpu) << ", " << last.cpu
        << "\n\n";
    print_table(out, findings);
  }
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
