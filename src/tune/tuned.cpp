#include "tune/tuned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "record/store.hpp"

namespace parlab {
namespace {

// Sum of the logarithms of the factors between the extents.
double distance(const Size& a, const Size& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double sum = 0;
  // start at 0: parameters count as well and may be 0
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::abs(std::log1p(static_cast<double>(a[i])) -
                    std::log1p(static_cast<double>(b[i])));
  }
  return sum;
}

}  // namespace

std::optional<Choice> choose_best(const std::vector<Record>& trials) {
  std::vector<std::pair<Summary, const Record*>> timed;
  for (const auto& record : trials) {
    if (record.timed()) timed.emplace_back(record.summary(), &record);
  }
  if (timed.empty()) return std::nullopt;
  std::ranges::sort(timed, {}, [](const auto& one) {
    return std::tie(one.first.interval.high, one.first.median);
  });
  Choice choice{*timed.front().second, {}};
  const Uncertain best = timed.front().first.estimate;
  timed.erase(timed.begin());
  std::ranges::sort(timed, {},
                    [](const auto& one) { return one.first.median; });
  for (const auto& [summary, record] : timed) {
    if (tied(ratio(summary.estimate, best))) choice.ties.push_back(*record);
  }
  return choice;
}

Tuned::Tuned(const std::vector<Record>& trials, const std::string& machine,
             const std::map<std::string, std::string>& source) {
  for (auto& record : latest(trials)) {
    const auto now = source.find(record.full_name());
    if (record.machine != machine || record.cache != Cache::hot ||
        record.inputs != InputKind::uniform || !record.timed())
      continue;
    if (now == source.end() || now->second != record.source_hash) continue;
    trials_[{record.full_name(), record.dtype}][record.size].push_back(
        std::move(record));
  }
}

std::optional<Tuned::Found> Tuned::find(const std::string& full_name,
                                        Dtype dtype, const Size& size) const {
  const auto sizes = trials_.find({full_name, dtype});
  if (sizes == trials_.end()) return std::nullopt;
  const auto nearest = std::ranges::min_element(
      sizes->second, {},
      [&](const auto& one) { return distance(one.first, size); });
  if (!std::isfinite(distance(nearest->first, size))) return std::nullopt;
  return Found{nearest->first, *choose_best(nearest->second)};
}

}  // namespace parlab
