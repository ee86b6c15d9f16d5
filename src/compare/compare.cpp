#include "compare/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace parlab {
namespace {

using Points = std::map<std::string, Runs>;

Points points_of(std::vector<Record> records) {
  std::map<std::string, std::vector<Record>> by_point;
  for (auto& record : records) {
    if (!record.emulated)
      by_point[record.identity()].push_back(std::move(record));
  }
  Points points;
  for (const auto& [name, same] : by_point)
    points.emplace(name, runs_of(same));
  return points;
}

// Whether it passed before and does not now. A missing device is not a failure
// of the variant.
bool lost(const Record& before, const Record& after) {
  return before.timed() && after.verdict != Verdict::passed &&
         after.verdict != Verdict::no_device &&
         after.verdict != Verdict::not_supported;
}

// Whether one run on a side may decide: on a GPU, and on CPUs that are not
// shared and whose spread between runs was measured.
bool one_run_tells(const Record& record) {
  return record.for_gpu() ||
         (!record.shares_cpus && record.between_runs.share > 0);
}

// The standard deviation of the runs' logarithms. It is that of the runs
// compared, or else the known spread between runs.
double spread_of_runs(const ComparedPoint& point) {
  const auto &before = point.before.samples, &after = point.after.samples;
  if (!point.by_runs())
    return std::max(before.back().between_runs, after.back().between_runs);
  return point.test.error / std::sqrt(1.0 / static_cast<double>(before.size()) +
                                      1.0 / static_cast<double>(after.size()));
}

// Number of runs per side with which Student's t-test would tell a ratio like
// this one from the margin. At least two, and more than there are now.
int runs_to_tell(const ComparedPoint& point, double margin) {
  constexpr double most = 20;
  const double beyond =
      std::abs(std::log(point.test.ratio.value)) - std::log1p(margin);
  // A change is tested together with many other points, but "same" by a test of
  // its own.
  const double deviations = beyond > 0 ? 3 : 2;
  const double each = deviations * spread_of_runs(point) / std::abs(beyond);
  const auto have = point.by_runs() ? std::min(point.before.samples.size(),
                                               point.after.samples.size())
                                    : 1;
  const double least = std::min(static_cast<double>(have) + 1, most);
  return static_cast<int>(
      std::clamp(std::ceil(2 + 2 * each * each), least, most));
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
    if (!point.by_runs() && (!one_run_tells(point.before.last) ||
                             !one_run_tells(point.after.last))) {
      if (test->p_within <= rules.error) point.change = Change::same;
      continue;
    }
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
  for (auto& point : points) {
    if (point.tested && point.change == Change::undecided)
      point.runs_needed = runs_to_tell(point, rules.margin);
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

int Comparison::runs_needed() const {
  std::vector<int> needed;
  for (const auto& point : points) {
    if (point.runs_needed > 0) needed.push_back(point.runs_needed);
  }
  std::ranges::sort(needed);
  return needed.empty() ? 0 : needed[needed.size() * 3 / 4];
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

Runs runs_of(const std::vector<Record>& of_point) {
  std::vector<const Record*> counted;
  for (const auto& record : of_point) {
    std::erase_if(counted,
                  [&](const Record* old) { return old->run == record.run; });
    counted.push_back(&record);
  }
  Runs runs{.last = of_point.back()};
  for (const auto* record : counted) {
    if (record->timed() && record->source_hash == runs.last.source_hash)
      runs.samples.push_back(record->samples());
  }
  return runs;
}

std::vector<Runs> runs_of_points(std::vector<Record> records) {
  std::vector<Runs> all;
  for (auto& [name, runs] : points_of(std::move(records)))
    all.push_back(std::move(runs));
  return all;
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
