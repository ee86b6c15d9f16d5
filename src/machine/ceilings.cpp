#include "machine/ceilings.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace parlab {
namespace {

using Curve = std::vector<std::pair<double, double>>;

// The units of core/variant.hpp that compute integers.
constexpr std::string_view units_of_integers[] = {"int", "tensor int8"};

}  // namespace

Quantity peak_rate(const std::string& unit, double per_second) {
  const bool integers =
      std::ranges::find(units_of_integers, unit) != std::end(units_of_integers);
  return {per_second,
          integers ? Unit::operation_per_second : Unit::flop_per_second};
}

double memory_bandwidth(const Ceilings& ceilings) {
  return std::max(ceilings.read.empty() ? 0 : ceilings.read.back().second,
                  ceilings.copy.empty() ? 0 : ceilings.copy.back().second);
}

std::string curve_point(const std::string& curve, double bytes) {
  return curve + " " + std::to_string(std::llround(bytes));
}

void WantedCeilings::include(const WantedCeilings& other) {
  least_bytes = std::min(least_bytes, other.least_bytes);
  most_bytes = std::max(most_bytes, other.most_bytes);
  units.insert(other.units.begin(), other.units.end());
}

Ceilings best_of(const Ceilings& a, const Ceilings& b) {
  Ceilings best;
  const auto keep_way = [&](const Ceilings& from, const std::string& what) {
    const auto way = from.ways.find(what);
    if (way != from.ways.end()) best.ways[what] = way->second;
  };
  const auto join = [&](const std::string& name, Curve Ceilings::*curve) {
    std::map<double, double> rates;
    for (const auto* from : {&a, &b}) {
      for (const auto& [bytes, rate] : from->*curve) {
        auto& known = rates[bytes];
        if (rate <= known) continue;
        known = rate;
        keep_way(*from, curve_point(name, bytes));
      }
    }
    best.*curve = {rates.begin(), rates.end()};
  };
  join("read", &Ceilings::read);
  join("copy", &Ceilings::copy);
  for (const auto* from : {&a, &b}) {
    for (const auto& [unit, rate] : from->units) {
      auto& known = best.units[unit];
      if (rate <= known) continue;
      known = rate;
      keep_way(*from, unit);
    }
  }
  best.links = a.links;
  for (const auto& [link, rate] : b.links)
    best.links[link] = std::max(best.links[link], rate);
  best.launch_s = b.launch_s > 0 ? b.launch_s : a.launch_s;
  best.between_runs =
      b.between_runs.share > 0 ? b.between_runs : a.between_runs;
  return best;
}

}  // namespace parlab
