#include "commands/show.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <unordered_map>

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
  auto all = latest(std::move(loaded.records));
  std::vector<std::string> order;
  std::unordered_map<std::string, std::vector<std::size_t>> points;  // places in all
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& point = points[all[i].machine + " " + all[i].point()];
    if (point.empty()) order.push_back(all[i].machine + " " + all[i].point());
    point.push_back(i);
  }
  bool any = false;
  for (const auto& name : order) {
    std::vector<Record> records;
    for (const auto i : points[name]) records.push_back(std::move(all[i]));
    if (std::none_of(records.begin(), records.end(), filter)) continue;
    any = true;
    std::stable_sort(records.begin(), records.end(),
                     [&](const Record& a, const Record& b) { return place(a) < place(b); });
    reporter->point(records);
  }
  reporter->finish();
  if (!any) loaded.warnings.emplace_back("no record is left to show");
  return loaded.warnings;
}

}  // namespace parlab
