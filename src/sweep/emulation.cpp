#include "sweep/emulation.hpp"

#include <algorithm>

namespace parlab {

Size size_to_emulate(const Workload& workload, Size size, Dtype dtype) {
  constexpr double flops_at_most = 8e6;
  const auto extents = count_extents(workload);
  while (workload.work(size, dtype).flops > flops_at_most) {
    for (std::size_t i = 0; i < extents; ++i)
      size[i] = (size[i] + 1) / 2;
  }
  return size;
}

bool is_square(const Workload& workload, const Size& size) {
  const auto extents = count_extents(workload);
  return extents > 1 &&
         std::all_of(size.begin(),
                     size.begin() + static_cast<std::ptrdiff_t>(extents),
                     [&](auto extent) { return extent == size.front(); });
}

Size small_rectangle(const Workload& workload, Size size) {
  for (std::size_t i = 0; i < count_extents(workload); ++i) {
    size[i] = 33 + 34 * static_cast<std::int64_t>(i);
  }
  return size;
}

Size small_square(const Workload& workload, Size size) {
  std::fill_n(size.begin(), count_extents(workload), 33);
  return size;
}

}  // namespace parlab
