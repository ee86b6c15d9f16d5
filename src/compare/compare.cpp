#include "compare/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "record/store.hpp"

namespace parlab {
namespace {

std::vector<Record> comparable(std::vector<Record> records) {
  std::erase_if(records, [](const Record& record) { return record.emulated; });
  return latest(std::move(records));
}

// The work was done before and gives nothing now; a device that is not there is no failure of it.
bool lost(const Record& before, const Record& after) {
  return before.timed() && after.verdict != Verdict::passed &&
         after.verdict != Verdict::no_device && after.verdict != Verdict::not_supported;
}

void decide(std::vector<ComparedPoint>& points, const CompareRules& rules) {
  std::vector<double> p;
  std::vector<ComparedPoint*> tested;
  for (auto& point : points) {
    if (point.change == Change::failed) continue;
    const auto test = test_ratio(point.before.seconds, point.after.seconds, rules.margin);
    if (!test) continue;
    point.test = *test;
    point.tested = true;
    p.push_back(test->p_differs);
    tested.push_back(&point);
  }
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    ComparedPoint& point = *tested[i];
    point.adjusted_p = adjusted[i];
    if (adjusted[i] <= rules.error) {
      point.change = point.test.ratio > 1 ? Change::slower : Change::faster;
    } else if (point.test.p_within <= rules.error) {
      point.change = Change::same;
    }
  }
}

}  // namespace

std::string_view to_string(Change change) {
  switch (change) {
    case Change::failed:
      return "failed";
    case Change::slower:
      return "slower";
    case Change::faster:
      return "faster";
    case Change::undecided:
      return "undecided";
    default:
      return "same";
  }
}

std::size_t Comparison::count(Change change) const {
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(),
                    [&](const ComparedPoint& point) { return point.change == change; }));
}

Comparison compare_records(std::vector<Record> before, std::vector<Record> after,
                           const CompareRules& rules) {
  before = comparable(std::move(before));
  after = comparable(std::move(after));
  std::map<std::string, Record*> others;
  for (auto& record : after) others[record.identity()] = &record;
  Comparison comparison;
  std::size_t common = 0;
  for (auto& record : before) {
    const auto other = others.find(record.identity());
    if (other == others.end()) {
      ++comparison.only_before;
      continue;
    }
    ++common;
    const bool failed = lost(record, *other->second);
    if (!failed && !(record.timed() && other->second->timed())) {
      ++comparison.without_time;
      continue;
    }
    ComparedPoint point;
    point.before = std::move(record);
    point.after = std::move(*other->second);
    if (failed) point.change = Change::failed;
    comparison.points.push_back(std::move(point));
  }
  comparison.only_after = others.size() - common;
  decide(comparison.points, rules);
  std::stable_sort(comparison.points.begin(), comparison.points.end(),
                   [](const ComparedPoint& a, const ComparedPoint& b) {
                     if (a.change != b.change) return a.change < b.change;
                     return std::abs(std::log(a.test.ratio)) > std::abs(std::log(b.test.ratio));
                   });
  return comparison;
}

}  // namespace parlab
