// Stand-in for the toolkit's header of this name, for emulated kernels.
#pragma once
#include <cooperative_groups.h>

#include <functional>

namespace cooperative_groups {

template <typename T>
using plus = std::plus<T>;
template <typename T>
using bit_and = std::bit_and<T>;
template <typename T>
using bit_or = std::bit_or<T>;
template <typename T>
using bit_xor = std::bit_xor<T>;
template <typename T>
struct less {
  T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
  T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};

// Combines the values of all threads of the group in the order of their ranks;
// each thread gets the result.
template <typename Group, typename T, typename Operation>
T reduce(const Group& group, T value, Operation operation,
         const Site& site = Site::current()) {
  T all = group.shfl(value, 0, site);
  for (unsigned rank = 1; rank < group.size(); ++rank) {
    all = operation(all, group.shfl(value, rank, site));
  }
  return all;
}

template <typename Group, typename T, typename Operation>
void reduce_update_async(const Group& group, T& target, T value,
                         Operation operation,
                         const Site& site = Site::current()) {
  const T all = reduce(group, value, operation, site);
  if (group.thread_rank() == 0)
    parlab::emulation::atomic_update(
        &target, [&](T old) { return operation(old, all); });
}

}  // namespace cooperative_groups
