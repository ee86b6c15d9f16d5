#include "compare/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace parlab {
namespace {

using Points = std::map<std::string, Runs>;

// Each run counts with its last record of a point.
Points points_of(std::vector<Record> records) {
  std::map<std::string, std::vector<Record>> by_point;
  for (auto& record : records) {
    if (record.emulated) continue;
    auto& same = by_point[record.identity()];
    std::erase_if(same,
                  [&](const Record& old) { return old.run == record.run; });
    same.push_back(std::move(record));
  }
  Points points;
  for (auto& [name, same] : by_point) {
    Runs& runs = points[name];
    runs.last = same.back();
    for (auto& record : same) {
      if (record.timed() && record.source_hash == runs.last.source_hash)
        runs.samples.push_back(record.samples());
    }
  }
  return points;
}

// It passed before and does not now; a device that is not there is no
// failure of the variant.
bool lost(const Record& before, const Record& after) {
  return before.timed() && after.verdict != Verdict::passed &&
         after.verdict != Verdict::no_device &&
         after.verdict != Verdict::not_supported;
}

void decide(std::vector<ComparedPoint>& points, const CompareRules& rules) {
  std::vector<double> p;
  std::vector<ComparedPoint*> tested;
  for (auto& point : points) {
    if (point.change == Change::failed) continue;
    const auto test =
        test_ratio(point.before.samples, point.after.samples,
                   point.by_runs() ? rules.margin : rules.margin_of_one_run);
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
      point.change =
          point.test.ratio.value > 1 ? Change::slower : Change::faster;
    } else if (point.test.p_within <= rules.error) {
      point.change = Change::same;
    }
  }
}

}  // namespace

std::size_t Comparison::count(Change change) const {
  return static_cast<std::size_t>(
      std::ranges::count(points, change, &ComparedPoint::change));
}

std::size_t Comparison::tested() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(points, &ComparedPoint::tested));
}

double Comparison::told_by_one_run() const {
  double worst = 1;
  for (const auto& point : points) {
    if (!point.tested || point.by_runs()) continue;
    const double before = point.before.samples.back().between_runs,
                 after = point.after.samples.back().between_runs;
    const Uncertain change{1, before * before + after * after, 1e6};
    worst = std::max(worst, change.interval().high);
  }
  return worst;
}

std::size_t Comparison::by_runs() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(points, [](const ComparedPoint& point) {
        return point.tested && point.by_runs();
      }));
}

double Runs::median() const {
  std::vector<double> medians;
  for (const auto& run : samples)
    medians.push_back(parlab::median(run.seconds));
  return parlab::median(std::move(medians));
}

Comparison compare_records(std::vector<Record> before,
                           std::vector<Record> after,
                           const CompareRules& rules) {
  auto olds = points_of(std::move(before));
  auto news = points_of(std::move(after));
  Comparison comparison;
  for (auto& [name, old] : olds) {
    const auto found = news.find(name);
    if (found == news.end()) {
      ++comparison.only_before;
      continue;
    }
    Runs& now = found->second;
    ComparedPoint point;
    if (lost(old.last, now.last)) {
      point.change = Change::failed;
    } else if (!old.last.timed() || !now.last.timed()) {
      ++comparison.without_time;
      comparison.without_device +=
          old.last.timed() && now.last.verdict == Verdict::no_device ? 1 : 0;
      continue;
    }
    point.before = std::move(old);
    point.after = std::move(now);
    comparison.points.push_back(std::move(point));
  }
  comparison.only_after = static_cast<std::size_t>(std::ranges::count_if(
      news, [&](const auto& point) { return olds.count(point.first) == 0; }));
  decide(comparison.points, rules);
  std::ranges::stable_sort(comparison.points,
                           [](const ComparedPoint& a, const ComparedPoint& b) {
                             if (a.change != b.change)
                               return a.change < b.change;
                             return std::abs(std::log(a.test.ratio.value)) >
                                    std::abs(std::log(b.test.ratio.value));
                           });
  return comparison;
}

}  // namespace parlab
