#include "commands/show.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <unordered_map>

#include "commands/record_files.hpp"
#include "core/parallel.hpp"
#include "core/variant.hpp"
#include "record/store.hpp"
#include "report/reporter.hpp"

namespace parlab {
namespace {

// Places of variants on the ladder of their workload, by full name.
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

}  // namespace

std::vector<std::string> show_records(const std::vector<std::string>& paths,
                                      const RecordFilter& filter,
                                      const std::string& format,
                                      std::ostream& out) {
  auto loaded = load_all(paths);
  const auto reporter = make_reporter(format, out, filter);
  for (const auto& [id, run] : loaded.runs)
    reporter->run(run);
  const auto known = places();
  // variants that are gone come last
  const auto place = [&](const Record& record) {
    const auto found = known.find(record.full_name());
    return found == known.end() ? known.size() : found->second;
  };
  auto records = latest(std::move(loaded.records));
  std::vector<std::vector<std::size_t>> points;  // which of the records
  // of a machine's point, among all
  std::unordered_map<std::string, std::size_t> number_of;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto [known_point, is_new] = number_of.try_emplace(
        records[i].machine + " " + records[i].point(), points.size());
    if (is_new) points.emplace_back();
    points[known_point->second].push_back(i);
  }
  std::erase_if(points, [&](const std::vector<std::size_t>& point) {
    return std::none_of(point.begin(), point.end(),
                        [&](std::size_t i) { return filter(records[i]); });
  });
  // Some at a time, and each is gone when it is shown: of a large file
  // a copy would not be cheap.
  constexpr std::size_t at_once = 512;
  for (std::size_t begin = 0; begin < points.size(); begin += at_once) {
    std::vector<std::vector<Record>> shown(
        std::min(at_once, points.size() - begin));
    on_all_cores(shown.size(), [&](std::size_t i) {
      for (const std::size_t number : points[begin + i]) {
        shown[i].push_back(std::move(records[number]));
      }
      std::stable_sort(shown[i].begin(), shown[i].end(),
                       [&](const Record& a, const Record& b) {
                         return place(a) < place(b);
                       });
    });
    reporter->points(shown);
  }
  reporter->finish();
  if (points.empty()) loaded.warnings.emplace_back("no record is left to show");
  return loaded.warnings;
}

}  // namespace parlab
