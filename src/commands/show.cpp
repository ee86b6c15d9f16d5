// `parlab show`: earlier measurements, as tables or for other programs; with
// --trend, how the times of points changed from commit to commit.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "cli/record_filter.hpp"
#include "commands/record_files.hpp"
#include "compare/compare.hpp"
#include "core/parallel.hpp"
#include "core/variant.hpp"
#include "page/words.hpp"
#include "record/run.hpp"
#include "record/store.hpp"
#include "render/formats.hpp"
#include "report/reporter.hpp"

namespace parlab {
namespace {

// A point at one commit, and the result of compare_records() against the last
// earlier commit that has it.
struct TrendStep {
  std::string commit, date;  // those of its first run at this commit
  Runs runs;
  Change change = Change::undecided;
  bool compared = false;  // whether ratio is known
  Ratio ratio = {};       // its time over that of the previous step
};

struct Trend {
  std::vector<TrendStep> steps;  // oldest first

  // whether it became slower, faster or failed at any step
  bool changed() const {
    return std::ranges::any_of(steps, [](const TrendStep& step) {
      return step.change == Change::failed ||
             (step.compared && step.change <= Change::faster);
    });
  }
};

struct OfCommit {
  std::string commit;
  std::vector<Record> records;
};

std::vector<OfCommit> by_commit(const std::vector<Record>& records,
                                const std::map<std::string, Run>& runs) {
  std::vector<OfCommit> commits;
  for (const auto& record : records) {
    if (record.emulated) continue;
    const auto& commit = runs.at(record.run).commit;
    auto found = std::ranges::find(commits, commit, &OfCommit::commit);
    if (found == commits.end())
      found = commits.insert(found, {.commit = commit, .records = {}});
    found->records.push_back(record);
  }
  return commits;
}

// records: of one machine, oldest first; emulated ones are left out. The result
// is in the order in which points were first measured.
std::vector<Trend> trends_of(const std::vector<Record>& records,
                             const std::map<std::string, Run>& runs) {
  std::vector<Trend> trends;
  std::map<std::string, std::size_t> number_of;  // index by identity
  std::map<std::string, std::vector<Record>> known;
  for (const auto& [commit, now] : by_commit(records, runs)) {
    std::vector<Record> before;
    for (const auto& [identity, last] : known)
      before.insert(before.end(), last.begin(), last.end());
    const auto comparison = compare_records(std::move(before), now);
    std::map<std::string, const ComparedPoint*> compared;
    for (const auto& point : comparison.points)
      compared[point.after.last.identity()] = &point;
    std::map<std::string, std::vector<Record>> here;
    for (const auto& record : now)
      here[record.identity()].push_back(record);
    for (auto& [identity, of_point] : here) {
      const auto [number, is_new] =
          number_of.try_emplace(identity, trends.size());
      if (is_new) trends.emplace_back();
      TrendStep step{.commit = commit,
                     .date = runs.at(of_point.front().run).date,
                     .runs = runs_of(of_point)};
      if (const auto found = compared.find(identity); found != compared.end()) {
        step.change = found->second->change;
        step.compared = found->second->tested;
        step.ratio = found->second->test.ratio;
      }
      const bool timed = step.runs.last.timed();
      trends[number->second].steps.push_back(std::move(step));
      // A failure at one commit does not hide earlier times.
      if (timed || is_new) known[identity] = std::move(of_point);
    }
  }
  return trends;
}

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

void add_step(Table& table, const TrendStep& step, double slowest) {
  const Record& last = step.runs.last;
  const Quantity ratio{step.ratio.value, Unit::factor, step.ratio.interval};
  const bool said = step.compared || step.change == Change::failed;
  Text runs;
  Cell time{Text(), last.verdict}, bar;
  if (last.timed()) {
    const double median = step.runs.median();
    runs = step.runs.samples.size();
    time = Quantity{median, Unit::second};
    bar = Meter{median / slowest};
  }
  auto& row =
      table.add({last.machine, last.full_name(), last.point(),
                 to_string(last.tunables), step.date.substr(0, 10), step.commit,
                 runs, time, bar, step.compared ? Text(ratio) : Text(),
                 step.compared ? Text(Range{ratio}) : Text(),
                 said ? Text(step.change) : Text()});
  row.tone = !said                           ? Tone::plain
             : step.change <= Change::slower ? Tone::bad
             : step.change == Change::faster ? Tone::good
                                             : Tone::plain;
}

void add_rows(Table& table, const Trend& trend) {
  double slowest = 0;
  for (const auto& step : trend.steps)
    slowest = std::max(slowest, step.runs.median());
  for (const auto& step : trend.steps)
    add_step(table, step, slowest);
}

// A heading for each point.
Table table_for_people(const std::vector<const Trend*>& trends) {
  Table table{.columns = trend_columns()};
  for (const auto* trend : trends) {
    const Record& last = trend->steps.back().runs.last;
    auto title = last.machine + ": " + last.full_name() + " " + last.point();
    if (!last.tunables.empty()) title += ", " + to_string(last.tunables);
    table.add({Text(), Text(), Text(), Text(), title}).heading = true;
    add_rows(table, *trend);
  }
  return table;
}

Document document_of(const std::vector<Trend>& trends, bool all) {
  std::vector<const Trend*> shown;
  std::size_t once = 0, steady = 0;
  for (const auto& trend : trends) {
    if (trend.steps.size() < 2) {
      ++once;
    } else if (!all && !trend.changed()) {
      ++steady;
    } else {
      shown.push_back(&trend);
    }
  }
  Document document{.blocks = {table_for_people(shown)}};
  Text rest =
      "Not shown: " + page::counted(once, "point") + " of one commit alone";
  if (steady > 0)
    rest += ", " + Text(steady) + " that changed at no commit (--all)";
  document.add(remark(rest + "."));
  document.add(remark(
      "ratio: time over that at the commit before. The words are those of "
      "parlab compare."));
  return document;
}

// Prints the trends of the records that the arguments name and the filters
// accept.
int show_trends(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"table", "csv", "json"});
  const auto filter = filter_of(arguments);
  auto loaded = load_asked_for(arguments);
  require_some(filter, loaded.records, "show");
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
  streams.print(document_of(trends, arguments.on("all")), steps, format);
  streams.warn(loaded.warnings);
  return EXIT_SUCCESS;
}

// The position of each variant on the ladder of its workload, by full name.
std::map<std::string, std::size_t> places() {
  std::map<std::string, std::size_t> places;
  for (const auto* variant : Registry::instance().variants())
    places.emplace(variant->full_name(), places.size());
  return places;
}

Options show_options() {
  return filter_options() + run_options({"format", "explain", "legend"}) +
         Options{
             {.flag = "verdict",
              .argument = "LIST",
              .help = "as wrong_result, or failed: all of those"},
             {.flag = "all",
              .help = "every setting of a variant, below the best of each"},
             {.flag = "trend",
              .help =
                  "from commit to commit, what changed; --all: every point"},
             {.flag = "sort",
              .argument = "HOW",
              .help = "by ladder, as the kernels are numbered, or by time"}};
}

// Prints the points of record files as they were printed when measured, without
// records that the filter rejects. Speedups stay relative to the serial
// variant, whether it is shown or not.
int show_records(const Arguments& arguments, const Streams& streams) {
  if (arguments.on("trend")) return show_trends(arguments, streams);
  const auto format =
      format_of(arguments, {"table", "csv", "json", "record", "explain"});
  const auto filter = filter_of(arguments);
  const auto* const sort = arguments.find("sort");
  const bool by_time = sort != nullptr && sort->text == "time";
  if (sort != nullptr && !by_time && sort->text != "ladder")
    sort->refuse("'ladder' and 'time' are known");
  auto loaded = load_asked_for(arguments);
  const auto reporter = make_reporter(format, streams.out,
                                      {.keep = filter,
                                       .looks = streams.looks,
                                       .all = arguments.on("all"),
                                       .legend = arguments.on("legend")});
  for (const auto& [id, run] : loaded.runs)
    reporter->run(run);
  const auto known = places();
  // variants that no longer exist come last
  const auto place = [&](const Record& record) {
    const auto found = known.find(record.full_name());
    return found == known.end() ? known.size() : found->second;
  };
  auto records = latest(std::move(loaded.records));
  require_some(filter, records, "show");
  std::vector<std::vector<std::size_t>> points;  // indices of records
  // the index of a machine's point
  std::unordered_map<std::string, std::size_t> number_of;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto [known_point, is_new] = number_of.try_emplace(
        records[i].machine + " " + records[i].point(), points.size());
    if (is_new) points.emplace_back();
    points[known_point->second].push_back(i);
  }
  std::erase_if(points, [&](const std::vector<std::size_t>& point) {
    return std::ranges::none_of(
        point, [&](std::size_t i) { return filter(records[i]); });
  });
  // Shards are merged in any order.
  std::ranges::stable_sort(points, {}, [&](const auto& point) {
    const Record& first = records[point.front()];
    return std::tie(first.machine, first.workload, first.size);
  });
  // Other formats do not refer to records that are not shown.
  const bool compares = format == "table" || format == "csv";
  // In portions, each deleted once it is shown, since a copy of a large file
  // would be expensive.
  constexpr std::size_t at_once = 512;
  for (std::size_t begin = 0; begin < points.size(); begin += at_once) {
    std::vector<std::vector<Record>> shown(
        std::min(at_once, points.size() - begin));
    on_all_cores(shown.size(), [&](std::size_t i) {
      for (const std::size_t number : points[begin + i])
        shown[i].push_back(std::move(records[number]));
      if (!compares) std::erase_if(shown[i], std::not_fn(filter));
      std::ranges::stable_sort(
          shown[i], {}, [&](const Record& record) { return place(record); });
      if (by_time) {
        std::ranges::stable_sort(shown[i], {}, [](const Record& record) {
          return record.timed() ? record.summary().median
                                : std::numeric_limits<double>::infinity();
        });
      }
    });
    reporter->points(shown);
  }
  reporter->finish();
  streams.warn(loaded.warnings);
  return EXIT_SUCCESS;
}

const CommandRegistration show_command(
    {.name = "show",
     .usage = "[<records>...] [options]",
     .help = "Prints records as tables, or as csv for spreadsheets. <records>: "
             "a record file, a folder, or a machine under results/; without "
             "any, all of results/.",
     .options = show_options,
     .run = show_records});

}  // namespace
}  // namespace parlab
