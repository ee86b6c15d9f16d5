#include "commands/show.hpp"

#include <algorithm>
#include <map>
#include <ostream>

#include "commands/record_files.hpp"
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
  std::vector<std::string> order;
  std::map<std::string, std::vector<Record>> points;
  bool any = false;
  for (auto& record : latest(std::move(loaded.records))) {
    any |= filter(record);
    const auto name = record.machine + " " + record.point();
    if (points.count(name) == 0) order.push_back(name);
    points[name].push_back(std::move(record));
  }
  for (const auto& name : order) {
    auto& records = points[name];
    if (std::none_of(records.begin(), records.end(), filter)) continue;
    std::stable_sort(records.begin(), records.end(),
                     [&](const Record& a, const Record& b) { return place(a) < place(b); });
    reporter->point(records);
  }
  reporter->finish();
  if (!any) loaded.warnings.emplace_back("no record is left to show");
  return loaded.warnings;
}

}  // namespace parlab
