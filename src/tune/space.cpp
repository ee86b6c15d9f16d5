#include "tune/space.hpp"

#include <algorithm>
#include <set>

namespace parlab {
namespace {

constexpr std::size_t few = 16;
constexpr std::int64_t warp = 32;

// The first allowed values, at most one more than `few`.
std::vector<std::int64_t> first_allowed(const Tunable& tunable) {
  std::vector<std::int64_t> values;
  const auto next = [&](std::int64_t value) {
    if (tunable.power_of_two) return value < 1 ? value + 1 : value * 2;
    return value + 1;
  };
  std::int64_t first = tunable.min;
  while (first <= tunable.max && !tunable.allows(first))
    ++first;
  for (auto value = first; value <= tunable.max && values.size() <= few;
       value = next(value)) {
    if (tunable.allows(value)) values.push_back(value);
  }
  return values;
}

std::vector<std::int64_t> values_of(const Tunable& tunable,
                                    std::int64_t cores) {
  // The user chooses how many GPUs to use; tuning does not.
  if (tunable.name == "gpus") return {2};
  if (tunable.name != "threads") {
    const auto all = first_allowed(tunable);
    if (all.size() <= few) return all;
  }
  std::set<std::int64_t> values;
  const auto add = [&](std::int64_t value) {
    if (tunable.allows(value)) values.insert(value);
  };
  if (tunable.name == "threads") {
    for (std::int64_t n = 1; n < cores; n *= 2)
      add(n);
    add(cores);
    return {values.begin(), values.end()};
  }
  add(tunable.fallback);
  if (tunable.name == "block") {
    for (auto n = warp; n <= tunable.max; n += warp)
      add(n);
    return {values.begin(), values.end()};
  }
  add(tunable.min);
  add(tunable.max);
  for (std::int64_t n = 1; n <= tunable.max && n < INT64_MAX / 4; n *= 2) {
    add(n);
    add(3 * n);
  }
  return {values.begin(), values.end()};
}

}  // namespace

std::vector<TunableAxis> axes_of(
    const Variant& variant,
    const std::map<std::string, std::vector<std::int64_t>>& asked,
    std::int64_t cores) {
  std::vector<TunableAxis> axes;
  for (const auto& tunable : variant.tunables) {
    TunableAxis axis{tunable.name, {}};
    const auto found = asked.find(tunable.name);
    if (found == asked.end()) {
      axis.values = values_of(tunable, cores);
    } else {
      axis.values = found->second;
      std::erase_if(axis.values,
                    [&](auto value) { return !tunable.allows(value); });
      std::ranges::sort(axis.values);
    }
    if (axis.values.empty()) {
      throw UsageError(variant.full_name() + ": none of the values of " +
                       tunable.name + " is allowed (" + tunable.allowed() +
                       ")");
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

double count_of(const std::vector<TunableAxis>& axes) {
  double count = 1;
  for (const auto& axis : axes)
    count *= static_cast<double>(axis.values.size());
  return count;
}

TunableValues defaults_of(const Variant& variant, std::int64_t cores) {
  TunableValues defaults;
  for (const auto& tunable : variant.tunables) {
    const bool all_cores = tunable.name == "threads" && tunable.fallback == 0;
    defaults.emplace(tunable.name, all_cores ? cores : tunable.fallback);
  }
  return defaults;
}

}  // namespace parlab
