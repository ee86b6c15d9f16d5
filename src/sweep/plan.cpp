#include "sweep/plan.hpp"

namespace parlab {

std::vector<TunableValues> configurations(const Plan& plan,
                                          const Variant& variant) {
  std::vector<TunableValues> all{{}};
  for (const auto& tunable : variant.tunables) {
    std::vector<std::int64_t> values;
    const auto asked = plan.tunables.find(tunable.name);
    if (asked == plan.tunables.end()) {
      values = {tunable.fallback};
    } else {
      for (const auto value : asked->second) {
        if (tunable.allows(value)) values.push_back(value);
      }
    }
    std::vector<TunableValues> longer;
    for (const auto& base : all) {
      for (const auto value : values) {
        longer.push_back(base);
        longer.back().emplace(tunable.name, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace parlab
