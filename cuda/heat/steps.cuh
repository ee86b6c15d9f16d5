// The step of all variants, and how launches pass a grid from one to the next.
#pragma once

#include <algorithm>

#include "gpu/gpu.hpp"
#include "workloads/heat.hpp"

using namespace parlab;

namespace {

template <typename T>
__device__ __forceinline__ T stepped(T here, T north, T south, T west, T east) {
  return T(0.5) * here + T(0.125) * (north + south + west + east);
}

// launch(from, to, count) takes `count` steps. The first launch reads a, the
// last one writes to b; in between they write to b and to scratch memory in
// turn. A launch takes as many steps as are left, up to `together`, rounded
// down to a power of two.
template <typename T, typename F>
void in_launches(Gpu& gpu, const Heat::Args<T>& p, std::int64_t together,
                 F launch) {
  const auto count = [&](std::int64_t left) {
    std::int64_t steps = 1;
    while (2 * steps <= std::min(together, left))
      steps *= 2;
    return steps;
  };
  std::int64_t launches = 0;
  for (auto left = p.steps; left > 0; left -= count(left))
    ++launches;
  T* const other = launches > 1 ? gpu.scratch<T>(p.rows * p.cols) : nullptr;
  const T* from = p.a;
  for (auto left = p.steps; left > 0; left -= count(left), --launches) {
    T* const to = launches % 2 == 1 ? p.b : other;
    launch(from, to, count(left));
    from = to;
  }
}

// The tunable `depth`: the most steps of a launch.
inline TunableSpec depth_of_launch(std::int64_t fallback) {
  return {.name = "depth",
          .fallback = fallback,
          .min = 1,
          .max = 8,
          .power_of_two = true};
}

}  // namespace
