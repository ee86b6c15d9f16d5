#include "sweep/emulation.hpp"

namespace parlab {

Size size_to_emulate(const Workload& workload, Size size, Dtype dtype) {
  constexpr double flops_at_most = 8e6;
  while (workload.work(size, dtype).flops > flops_at_most) {
    for (auto& extent : size) extent = (extent + 1) / 2;
  }
  return size;
}

}  // namespace parlab
