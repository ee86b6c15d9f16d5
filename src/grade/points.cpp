#include "grade/points.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <sstream>

#include "core/types.hpp"

namespace parlab::grade {
namespace {

constexpr double usual_full = 100;

// A number and what must follow it: "1.2x".
bool read_number(std::istream& in,
                 double& number,
                 const std::string& unit = "") {
  std::string word;
  if (!(in >> word) || word.size() <= unit.size() || !word.ends_with(unit))
    return false;
  word.resize(word.size() - unit.size());
  char* end = nullptr;
  number = std::strtod(word.c_str(), &end);
  return *end == '\0' && std::isfinite(number) && number >= 0 && number <= 1e6;
}

bool read_word(std::istream& in, const std::string& expected) {
  std::string word;
  return in >> word && word == expected;
}

}  // namespace

PointsRule::PointsRule(const std::string& text) : text_(text) {
  const auto refuse = [&] {
    throw UsageError(
        "--points '" + text +
        "': write 'full within 1.2x, linear to 0 at 10x', or corners of factor "
        "and "
        "points, '1x:100 2x:80 10x:0', from the smallest factor on");
  };
  if (text.find("within") != text.npos) {
    std::istringstream in(text);
    double full = usual_full, within = 0, last = 0, at = 0;
    const bool named = text.starts_with("full");
    std::string rest;
    if (named ? !read_word(in, "full") : !read_number(in, full)) refuse();
    if (!read_word(in, "within") || !read_number(in, within, "x,") ||
        !read_word(in, "linear") || !read_word(in, "to") ||
        !read_number(in, last) || !read_word(in, "at") ||
        !read_number(in, at, "x") || in >> rest) {
      refuse();
    }
    corners_ = {{within, full}, {at, last}};
  } else {
    std::istringstream in(text);
    for (std::string corner; in >> corner;) {
      std::replace(corner.begin(), corner.end(), ':', ' ');
      std::istringstream both(corner);
      double factor = 0, points = 0;
      std::string rest;
      if (!read_number(both, factor, "x") || !read_number(both, points) ||
          both >> rest)
        refuse();
      corners_.emplace_back(factor, points);
    }
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
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return times[a].value < times[b].value;
  });
  std::size_t first = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!tied(ratio(times[order[i]] / times[order[first]] / between)))
      first = i;
    result[order[i]] = first + 1;
  }
  return result;
}

}  // namespace parlab::grade
