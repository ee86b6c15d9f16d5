#include "sweep/plan.hpp"

#include <algorithm>
#include <iterator>

namespace parlab {

std::vector<TunableValues> all_of(const std::vector<TunableAxis>& axes) {
  std::vector<TunableValues> all{{}};
  for (const auto& axis : axes) {
    std::vector<TunableValues> longer;
    for (const auto& base : all) {
      for (const auto value : axis.values) {
        longer.push_back(base);
        longer.back().emplace(axis.name, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<TunableValues> configurations(const Plan& plan,
                                          const Variant& variant) {
  std::vector<TunableAxis> axes;
  for (const auto& tunable : variant.tunables) {
    auto& values = axes.emplace_back(TunableAxis{tunable.name, {}}).values;
    const auto asked = plan.tunables.find(tunable.name);
    if (asked == plan.tunables.end()) {
      values = {tunable.fallback};
    } else {
      std::ranges::copy_if(asked->second, std::back_inserter(values),
                           [&](auto value) { return tunable.allows(value); });
    }
  }
  return all_of(axes);
}

}  // namespace parlab
