// Stand-in for the toolkit's header of this name, for emulated kernels.
#pragma once
#include <cooperative_groups/reduce.h>

namespace cooperative_groups {

// Combines the values of all threads up to and including this one, in the order
// of their ranks.
template <typename Group, typename T, typename Operation = plus<T>>
T inclusive_scan(const Group& group, T value, Operation operation = {},
                 const Site& site = Site::current()) {
  T all = group.shfl(value, 0, site);
  for (unsigned rank = 1; rank < group.size(); ++rank) {
    const T one = group.shfl(value, rank, site);
    if (rank <= group.thread_rank()) all = operation(all, one);
  }
  return all;
}
// Up to the previous thread; the first thread gets T{}.
template <typename Group, typename T, typename Operation = plus<T>>
T exclusive_scan(const Group& group, T value, Operation operation = {},
                 const Site& site = Site::current()) {
  T all{};
  for (unsigned rank = 0; rank + 1 < group.size(); ++rank) {
    const T one = group.shfl(value, rank, site);
    if (rank < group.thread_rank()) all = rank == 0 ? one : operation(all, one);
  }
  return all;
}

}  // namespace cooperative_groups
