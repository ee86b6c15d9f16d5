#include "compare/trend.hpp"

#include <algorithm>

namespace parlab {
namespace {

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

}  // namespace

bool Trend::changed() const {
  return std::ranges::any_of(steps, [](const TrendStep& step) {
    return step.change == Change::failed ||
           (step.compared && step.change <= Change::faster);
  });
}

std::vector<Trend> trends_of(const std::vector<Record>& records,
                             const std::map<std::string, Run>& runs,
                             const CompareRules& rules) {
  std::vector<Trend> trends;
  std::map<std::string, std::size_t> number_of;  // index by identity
  std::map<std::string, std::vector<Record>> known;
  for (const auto& [commit, now] : by_commit(records, runs)) {
    std::vector<Record> before;
    for (const auto& [identity, last] : known)
      before.insert(before.end(), last.begin(), last.end());
    const auto comparison = compare_records(std::move(before), now, rules);
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

}  // namespace parlab
