#include "tune/search.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
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

constexpr int descents = 4;
constexpr std::size_t finalists = 8;

class Descent {
 public:
  explicit Descent(const Search& search) : search_(search) {}

  void from(TunableValues place) {
    for (bool improved = true; improved && !search_.stop();) {
      improved = false;
      for (const auto& axis : search_.axes) {
        if (search_.stop()) return;
        const TunableValues next = best_on(axis, place);
        improved |= next != place;
        place = next;
      }
    }
  }

  // A random place that was not tried yet; gives up after a few attempts.
  TunableValues elsewhere() {
    TunableValues place;
    for (int attempt = 0; attempt < 20; ++attempt) {
      place.clear();
      for (const auto& axis : search_.axes) {
        std::uniform_int_distribution<std::size_t> any(0,
                                                       axis.values.size() - 1);
        place.emplace(axis.name, axis.values[any(random_)]);
      }
      if (tried_.count(place) == 0) break;
    }
    return place;
  }

  std::vector<TunableValues> promising() const {
    std::vector<std::pair<Summary, TunableValues>> timed;
    for (const auto& [tunables, summary] : tried_) {
      if (summary) timed.emplace_back(*summary, tunables);
    }
    std::ranges::sort(timed, {},
                      [](const auto& one) { return one.first.median; });
    std::vector<TunableValues> kept;
    for (const auto& [summary, tunables] : timed) {
      const bool may_be_best =
          !above(ratio(summary.estimate, timed.front().first.estimate), 1);
      if (may_be_best && kept.size() < finalists) kept.push_back(tunables);
    }
    if (std::ranges::find(kept, search_.start) == kept.end())
      kept.push_back(search_.start);
    return kept;
  }

  std::size_t tried() const { return tried_.size(); }

 private:
  TunableValues best_on(const TunableAxis& axis, const TunableValues& place) {
    std::vector<TunableValues> line, unknown;
    for (const auto value : axis.values) {
      line.push_back(place);
      line.back().insert_or_assign(axis.name, value);
    }
    if (std::ranges::find(line, place) == line.end()) line.push_back(place);
    std::ranges::copy_if(line, std::back_inserter(unknown),
                         [&](const TunableValues& tunables) {
                           return tried_.count(tunables) == 0;
                         });
    if (!unknown.empty()) {
      for (const auto& record : search_.measure(unknown, Effort::quick)) {
        auto& known = tried_[record.tunables];
        if (record.timed()) known = record.summary();
      }
    }
    TunableValues best = place;
    double least = time_of(place);
    for (const auto& tunables : line) {
      if (time_of(tunables) < least) {
        least = time_of(tunables);
        best = tunables;
      }
    }
    return best;
  }

  double time_of(const TunableValues& tunables) const {
    const auto found = tried_.find(tunables);
    if (found == tried_.end() || !found->second)
      return std::numeric_limits<double>::infinity();
    return found->second->median;
  }

  const Search& search_;
  std::map<TunableValues, std::optional<Summary>> tried_;  // nothing: it failed
  // a fixed seed, so that the search is the same every time
  std::mt19937 random_{1};
};

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

std::size_t run_search(const Search& search) {
  if (search.exhaustive)
    return search.measure(all_of(search.axes), Effort::full).size();
  Descent descent(search);
  descent.from(search.start);
  const double all = count_of(search.axes);
  for (int i = 1; i < descents; ++i) {
    if (search.stop() || static_cast<double>(descent.tried()) >= all) break;
    descent.from(descent.elsewhere());
  }
  search.measure(descent.promising(), Effort::full);
  return descent.tried();
}

}  // namespace parlab
