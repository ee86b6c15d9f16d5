#include "sweep/emulated_size.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace parlab {
namespace {

// Sizes of tiles, vectors and blocks that should keep dividing the extents.
constexpr std::int64_t divisors[] = {256 * 3 * 5 * 7, 256, 64, 16, 4, 1};
// extents above it are shortened before the others
constexpr std::int64_t long_extent = 256;

// About half the extent, with the same divisors of `kept`. An odd multiple
// stays odd.
std::int64_t shortened(std::int64_t extent, std::int64_t kept) {
  const auto unit = std::gcd(extent, kept);
  const auto times = extent / unit;
  return unit * (times % 2 == 1 ? times / 2 | 1 : times / 2);
}

}  // namespace

double emulated_seconds(const Work& work) {
  constexpr double rate = 2e7;  // operations and bytes per second
  return (work.flops + work.bytes) / rate;
}

Size size_to_emulate(const Workload& workload, const Size& size, Dtype dtype,
                     double seconds) {
  const auto fits = [&](const Size& tried) {
    return emulated_seconds(workload.work(tried, dtype)) <= seconds;
  };
  Size all = size;
  const auto extents = count_extents(workload);
  for (const auto kept : divisors) {
    for (const auto least : {long_extent, std::int64_t{0}}) {
      for (bool shorter = true; shorter && !fits(all);) {
        shorter = false;
        for (std::size_t i = 0; i < extents; ++i) {
          if (all[i] <= least) continue;
          const auto less = std::max(shortened(all[i], kept), std::int64_t{1});
          shorter |= less < all[i];
          all[i] = less;
        }
      }
    }
  }
  return all;
}

Size with_other_parameters(const Workload& workload, Size size) {
  const auto parameters = workload.parameters();
  auto* value = size.data() + count_extents(workload);
  for (const auto& parameter : parameters) {
    // Small values make small problems; the least one is often a special case.
    // A kernel may be right for even numbers alone, like one that swaps two
    // arrays in every step.
    const auto second = parameter.power_of_two
                            ? 2 * parameter.min
                            : parameter.min + parameter.multiple_of;
    const auto third = second + parameter.multiple_of;
    std::vector candidates{second, parameter.min};
    if (!parameter.power_of_two && (third - *value) % 2 != 0 &&
        (second - *value) % 2 == 0)
      candidates.insert(candidates.begin(), third);
    const auto other =
        std::ranges::find_if(candidates, [&](std::int64_t candidate) {
          return candidate != *value && parameter.allows(candidate);
        });
    if (other != candidates.end()) *value = *other;
    ++value;
  }
  return size;
}

Size with_large_parameters(const Workload& workload, Size size) {
  constexpr std::int64_t beyond = 1025;
  auto* value = size.data() + count_extents(workload);
  for (const auto& parameter : workload.parameters()) {
    *value = std::min(parameter.power_of_two ? 2 * (beyond - 1) : beyond,
                      parameter.max);
    while (!parameter.allows(*value))
      --*value;
    ++value;
  }
  return size;
}

}  // namespace parlab
