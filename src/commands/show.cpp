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

// Place of a record's variant on its ladder; variants that are gone come last.
std::size_t place(const Record& record) {
  const auto variants = Registry::instance().variants(record.workload);
  const auto found = std::find_if(variants.begin(), variants.end(), [&](const Variant* variant) {
    return variant->full_name() == record.full_name();
  });
  return static_cast<std::size_t>(found - variants.begin());
}

}  // namespace

std::vector<std::string> show_records(const std::vector<std::string>& paths,
                                      const RecordFilter& filter, const std::string& format,
                                      std::ostream& out) {
  auto loaded = load_all(paths);
  const auto reporter = make_reporter(format, out, filter);
  for (const auto& [id, run] : loaded.runs) reporter->run(run);
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
                     [](const Record& a, const Record& b) { return place(a) < place(b); });
    reporter->point(records);
  }
  reporter->finish();
  if (!any) loaded.warnings.emplace_back("no record is left to show");
  return loaded.warnings;
}

}  // namespace parlab
