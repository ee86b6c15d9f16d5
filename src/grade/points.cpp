#include "grade/points.hpp"

#include <algorithm>
#include <numeric>

#include "core/types.hpp"

namespace parlab::grade {
namespace {

constexpr double usual_full = 100;

bool is_usual(double number) {
  return number >= 0 && number <= 1e6;
}

}  // namespace

PointsRule::PointsRule(const std::string& text) : text_(text) {
  const auto refuse = [&] {
    throw UsageError(
        "--points '" + text +
        "': write 'full within 1.2x, linear to 0 at 10x', or corners of factor "
        "and points, '1x:100 2x:80 10x:0', from the smallest factor on");
  };
  const char* const typed = text.c_str();
  double full = usual_full, within = 0, last = 0, at = 0;
  int end = 0;  // end of the text read; 0 if its form does not fit
  if (std::sscanf(typed, " full within %lfx, linear to %lf at %lfx %n", &within,
                  &last, &at, &end) == 3 ||
      std::sscanf(typed, "%lf within %lfx, linear to %lf at %lfx %n", &full,
                  &within, &last, &at, &end) == 4) {
    if (end == 0 || typed[end] != '\0') refuse();
    corners_ = {{within, full}, {at, last}};
  } else {
    for (int begin = 0; typed[begin] != '\0'; begin += end) {
      auto& [factor, points] = corners_.emplace_back();
      end = 0;
      if (std::sscanf(typed + begin, "%lfx:%lf %n", &factor, &points, &end) !=
              2 ||
          end == 0)
        refuse();
    }
  }
  for (const auto& [factor, points] : corners_) {
    if (!is_usual(factor) || !is_usual(points)) refuse();
  }
  const auto later = [](const auto& a, const auto& b) {
    return a.first >= b.first || a.second < b.second;
  };
  if (corners_.empty() || corners_.front().first <= 0 ||
      std::adjacent_find(corners_.begin(), corners_.end(), later) !=
          corners_.end()) {
    refuse();
  }
}

double PointsRule::of(const Ratio& ratio) const {
  const double factor =
      ratio.interval.low > 0 ? ratio.interval.low : ratio.value;
  if (factor <= corners_.front().first) return corners_.front().second;
  for (std::size_t i = 1; i < corners_.size(); ++i) {
    const auto& [from, more] = corners_[i - 1];
    const auto& [to, less] = corners_[i];
    if (factor <= to)
      return more + (less - more) * (factor - from) / (to - from);
  }
  return corners_.back().second;
}

std::vector<std::size_t> ranks(const std::vector<Uncertain>& times,
                               const Uncertain& between) {
  std::vector<std::size_t> order(times.size()), result(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return times[i].value; });
  std::size_t first = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!tied(ratio(times[order[i]] / times[order[first]] / between)))
      first = i;
    result[order[i]] = first + 1;
  }
  return result;
}

}  // namespace parlab::grade
