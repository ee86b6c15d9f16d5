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
    for (const auto* variant : Registry::instance().variants(workload->name())) {
      places.emplace(variant->full_name(), places.size());
    }
  }
  return places;
}

}  // namespace

std::vector<std::string> show_records(const std::vector<std::string>& paths,
                                      const RecordFilter& filter, const std::string& format,
                                      std::ostream& out) {
  auto loaded = load_all(paths);
  const auto reporter = make_reporter(format, out, filter);
  for (const auto& [id, run] : loaded.runs) reporter->run(run);
  const auto known = places();
  const auto place = [&](const Record& record) {  // variants that are gone come last
    const auto found = known.find(record.full_name());
    return found == known.end() ? known.size() : found->second;
  };
  std::vector<std::vector<Record>> points;
  std::unordered_map<std::string, std::size_t> number_of;  // of a machine's point, among all
  for (auto& record : latest(std::move(loaded.records))) {
    const auto [known_point, is_new] =
        number_of.try_emplace(record.machine + " " + record.point(), points.size());
    if (is_new) points.emplace_back();
    points[known_point->second].push_back(std::move(record));
  }
  std::erase_if(points, [&](const std::vector<Record>& records) {
    return std::none_of(records.begin(), records.end(), filter);
  });
  on_all_cores(points.size(), [&](std::size_t i) {
    std::stable_sort(points[i].begin(), points[i].end(),
                     [&](const Record& a, const Record& b) { return place(a) < place(b); });
  });
  reporter->points(points);
  reporter->finish();
  if (points.empty()) loaded.warnings.emplace_back("no record is left to show");
  return loaded.warnings;
}

}  // namespace parlab
