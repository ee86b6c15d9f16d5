#include "commands/memory.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "core/text.hpp"
#include "verify/problem.hpp"

namespace parlab {
void require_memory(const Plan& plan) {
  const Size* smallest = nullptr;
  Dtype dtype{};
  double needed = std::numeric_limits<double>::infinity();
  for (const auto& size : plan.sizes) {
    for (const auto each : plan.dtypes) {
      const double bytes =
          bytes_needed(*plan.workload, size, each, plan.variants);
      if (bytes >= needed) continue;
      needed = bytes, dtype = each, smallest = &size;
    }
  }
  if (smallest == nullptr || needed <= plan.memory_bytes) return;
  throw UsageError(as_written("size", to_string(*smallest)) +
                   ": the arrays need " + bytes_with_unit(needed) +
                   " of memory as " + std::string(to_string(dtype)) + ", " +
                   bytes_with_unit(std::max(plan.memory_bytes, 0.0)) +
                   " are free");
}

}  // namespace parlab
