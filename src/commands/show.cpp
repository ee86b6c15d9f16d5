// `parlab show`: earlier measurements, as tables or for other programs.

#include <algorithm>
#include <limits>
#include <map>
#include <ostream>
#include <unordered_map>

#include "cli/record_filter.hpp"
#include "cli/run_options.hpp"
#include "commands/record_files.hpp"
#include "commands/trend.hpp"
#include "core/parallel.hpp"
#include "core/variant.hpp"
#include "record/store.hpp"
#include "report/reporter.hpp"

namespace parlab {
namespace {

// The position of each variant on the ladder of its workload, by full name.
std::map<std::string, std::size_t> places() {
  std::map<std::string, std::size_t> places;
  for (const auto* workload : Registry::instance().workloads()) {
    for (const auto* variant :
         Registry::instance().variants(workload->name())) {
      places.emplace(variant->full_name(), places.size());
    }
  }
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
  // In portions, each deleted once it is shown, since a copy of a large file
  // would be expensive.
  constexpr std::size_t at_once = 512;
  for (std::size_t begin = 0; begin < points.size(); begin += at_once) {
    std::vector<std::vector<Record>> shown(
        std::min(at_once, points.size() - begin));
    on_all_cores(shown.size(), [&](std::size_t i) {
      for (const std::size_t number : points[begin + i])
        shown[i].push_back(std::move(records[number]));
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
  if (points.empty()) loaded.warnings.emplace_back("no record is left to show");
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
