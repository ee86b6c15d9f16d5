#include "commands/trend.hpp"

#include <algorithm>
#include <map>
#include <ostream>

#include "cli/record_filter.hpp"
#include "commands/record_files.hpp"
#include "compare/trend.hpp"
#include "render/csv.hpp"
#include "render/json.hpp"
#include "render/readable.hpp"

namespace parlab {
namespace {

std::vector<Column> trend_columns() {
  return {{"machine"},
          {"variant"},
          {"point"},
          {"tunables"},
          {"date", "date"},
          {"commit", "commit"},
          {"runs", "runs", true},
          {"median_s", "time", true},
          {.title = ""},
          {.key = "ratio", .title = "ratio", .right = true, .interval = true},
          {.title = "(95%)"},
          {"change", "change"}};
}

Row row_of_step(const TrendStep& step, double slowest) {
  const Record& last = step.runs.last;
  Row row =
      row_of({last.machine, last.full_name(), last.point(),
              to_string(last.tunables), step.date.substr(0, 10), step.commit});
  const Quantity ratio{step.ratio.value, Unit::factor, step.ratio.interval};
  const bool said = step.compared || step.change == Change::failed;
  if (last.timed()) {
    const double median = step.runs.median();
    row.cells.push_back({.text = std::int64_t(step.runs.samples.size())});
    row.cells.push_back({.text = Quantity{median, Unit::second}});
    row.cells.push_back({.text = Meter{median / slowest}});
  } else {
    row.cells.resize(row.cells.size() + 3);
    row.cells[7].note = to_string(last.verdict);
  }
  row.cells.push_back({.text = step.compared ? Text(ratio) : Text()});
  row.cells.push_back({.text = step.compared ? Text(Range{ratio}) : Text()});
  row.cells.push_back({.text = said ? to_string(step.change) : ""});
  row.tone = !said                           ? Tone::plain
             : step.change <= Change::slower ? Tone::bad
             : step.change == Change::faster ? Tone::good
                                             : Tone::plain;
  return row;
}

void add_rows(Table& table, const Trend& trend) {
  double slowest = 0;
  for (const auto& step : trend.steps)
    slowest = std::max(slowest, step.runs.median());
  for (const auto& step : trend.steps)
    table.rows.push_back(row_of_step(step, slowest));
}

// A heading for each point.
Table table_for_people(const std::vector<const Trend*>& trends) {
  Table table{.columns = trend_columns()};
  for (const auto* trend : trends) {
    const Record& last = trend->steps.back().runs.last;
    auto title = last.machine + ": " + last.full_name() + " " + last.point();
    if (!last.tunables.empty()) title += ", " + to_string(last.tunables);
    Row heading{.cells = std::vector<Cell>(5), .heading = true};
    heading.cells.back().text = title;
    table.rows.push_back(std::move(heading));
    add_rows(table, *trend);
  }
  return table;
}

Document document_of(const std::vector<Trend>& trends, bool all) {
  std::vector<const Trend*> shown;
  std::int64_t once = 0, steady = 0;
  for (const auto& trend : trends) {
    if (trend.steps.size() < 2) {
      ++once;
    } else if (!all && !trend.changed()) {
      ++steady;
    } else {
      shown.push_back(&trend);
    }
  }
  Document document;
  if (!shown.empty()) document.blocks.push_back(table_for_people(shown));
  Text rest = "Not shown: " + Text(once) + " points of one commit alone";
  if (steady > 0)
    rest += ", " + Text(steady) + " that changed at no commit (--all)";
  document.blocks.push_back(Paragraph{rest + ".", true});
  document.blocks.push_back(Paragraph{
      "ratio: time over that at the commit before. The words are those of "
      "parlab compare.",
      true});
  return document;
}

}  // namespace

int show_trends(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"table", "csv", "json"});
  const auto filter = filter_of(arguments);
  auto loaded = load_asked_for(arguments);
  keep_to_main_hosts(loaded.records);
  std::map<std::string, std::vector<Record>> machines;
  for (auto& record : loaded.records) {
    if (filter(record)) machines[record.machine].push_back(std::move(record));
  }
  std::vector<Trend> trends;
  for (const auto& [name, records] : machines)
    std::ranges::move(trends_of(records, loaded.runs),
                      std::back_inserter(trends));
  Table steps{.key = "step", .columns = trend_columns()};
  for (const auto& trend : trends)
    add_rows(steps, trend);
  streams.out << (format == "csv" ? csv(steps)
                  : format == "json"
                      ? json_lines(steps)
                      : readable(document_of(trends, arguments.on("all")),
                                 streams.looks));
  streams.warn(loaded.warnings);
  return EXIT_SUCCESS;
}

}  // namespace parlab
