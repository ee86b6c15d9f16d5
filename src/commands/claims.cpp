// `parlab claims`: the claims of the source reports, judged by records.

#include <algorithm>
#include <boost/algorithm/string/erase.hpp>
#include <map>

#include "claims/claim.hpp"
#include "commands/record_files.hpp"
#include "core/text.hpp"
#include "record/store.hpp"
#include "render/formats.hpp"

namespace parlab {
namespace {

struct Machine {
  std::vector<Record> records;
  std::vector<Run> runs;
};

void add_line(Table& table, const Finding& finding) {
  const auto outcome = finding.outcome;
  table.add({"  " + finding.id, outcome_of(finding), finding.sentence}).tone =
      outcome == Outcome::does_not_hold      ? Tone::bad
      : outcome == Outcome::cannot_be_tested ? Tone::faint
      : outcome == Outcome::holds_in_part    ? Tone::plain
                                             : Tone::good;
}

void add_evidence(Table& table, const Finding& finding) {
  table.add({"  " + finding.id, outcome_of(finding)});
  const std::pair<const char*, Text> fields[] = {
      {"    claim", finding.sentence},
      {"    rule", finding.rule},
      {"    numbers", finding.numbers},
      {"    missing", finding.missing},
      {"    figure", finding.figure}};
  for (const auto& [title, text] : fields) {
    if (!text.empty()) table.add({title, text});
  }
}

// "holds 3, where tested 1, in part 2": each word is said once, since the line
// is long
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

// The requested claims, and whether to show what decides them.
struct Asked {
  std::vector<std::string> ids;  // empty: all
  bool evidence = false;
};

Asked what_is_asked(const Arguments& arguments) {
  Asked asked;
  asked.evidence = arguments.on("all");
  if (const auto* setting = arguments.find("claim")) {
    std::vector<std::string> known;
    for (const auto& finding : judge_claims({}, {}))
      known.push_back(finding.id);
    asked.ids = setting->values([&](const std::string& id) {
      if (std::ranges::find(known, id) == known.end())
        throw UsageError("no claim is called '" + id + "'" +
                         did_you_mean(id, known));
      return id;
    });
    asked.evidence = true;
  }
  return asked;
}

// First how many hold. Then reports in the order of their first claim, with the
// observations that the claims come from.
Document document_of_findings(const std::string& title,
                              const std::vector<Finding>& findings,
                              const Asked& asked) {
  Document document{.title = title};
  if (asked.ids.empty()) document.add(remark(counts_of_outcomes(findings)));
  Table table{.columns = {{}, {.widest = 88}}};
  if (!asked.evidence) table.columns = {{}, {}, {.widest = 66, .cut = true}};
  for (const auto& report : reports_of(findings)) {
    table.add({report}).heading = true;
    for (const auto& finding : findings) {
      if (finding.report == report)
        (asked.evidence ? add_evidence : add_line)(table, finding);
    }
  }
  document.add(std::move(table));
  if (!asked.evidence) {
    document.add(
        Paragraph{"--claim " + findings.front().id +
                  " shows the rule and the numbers of one, --all of all"});
  }
  return document;
}

// Every claim for each machine in the records, by report.
int print_claims(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"table", "csv", "json"});
  const auto asked = what_is_asked(arguments);
  std::map<std::string, Machine> machines;
  auto loaded = load_all(arguments.positional);
  for (auto& [id, run] : loaded.runs)
    machines[run.machine].runs.push_back(std::move(run));
  for (auto& record : loaded.records)
    machines[record.machine].records.push_back(std::move(record));
  Table all{
      .key = "claim",
      .columns = keyed({"machine", "id", "report", "claim", "rule", "numbers",
                        "outcome", "computed", "missing", "figure"})};
  for (const auto& [name, machine] : machines) {
    auto findings = judge_claims(machine.records, machine.runs);
    std::erase_if(findings, [&](const Finding& finding) {
      return !asked.ids.empty() &&
             std::ranges::find(asked.ids, finding.id) == asked.ids.end();
    });
    for (const auto& one : findings) {
      all.add({name, one.id, one.report, one.sentence, one.rule, one.numbers,
               one.outcome, one.computed ? "yes" : "no", one.missing,
               one.figure});
    }
    if (format != "table") continue;
    const auto& last = machine.runs.back();
    streams.out << (name == machines.begin()->first ? "" : "\n");
    streams.print(document_of_findings(
        "Claims of the source reports on " + name + ": " +
            (last.gpu.empty() ? "no GPU" : last.gpu) + ", " + last.cpu,
        findings, asked));
  }
  if (format != "table") streams.print(all, format);
  streams.warn(loaded.warnings);
  return EXIT_SUCCESS;
}

const CommandRegistration claims_command(
    {.name = "claims",
     .usage = "<records>... [options]",
     .help = "Says which conclusions of the source reports the records of a "
             "machine bear out.",
     .options =
         [] {
           return run_options({"format"}) +
                  Options{{.flag = "claim",
                           .argument = "LIST",
                           .help = "only these, C6, with rule and numbers"},
                          {.flag = "all",
                           .help = "rule and numbers of every claim"}};
         },
     .run = print_claims,
     .least = 1,
     .needs = "the records: results/MACHINE"});

}  // namespace

}  // namespace parlab
