#include "sweep/emulation.hpp"

namespace parlab {

Size size_to_emulate(const Workload& workload, Size size, Dtype dtype) {
  constexpr double flops_at_most = 8e6;
  const auto extents = size.size() - workload.parameters().size();
  while (workload.work(size, dtype).flops > flops_at_most) {
    for (std::size_t i = 0; i < extents; ++i) size[i] = (size[i] + 1) / 2;
  }
  return size;
}

}  // namespace parlab
