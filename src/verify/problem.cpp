#include "verify/problem.hpp"

#include <algorithm>

namespace parlab {
namespace {

std::vector<ArraySpec> inputs_needed(const std::vector<ArraySpec>& arrays,
                                     const std::vector<const Variant*>& variants) {
  std::vector<ArraySpec> needed;
  for (const auto& array : arrays) {
    const bool read = std::any_of(variants.begin(), variants.end(),
                                  [&](const Variant* variant) { return variant->reads(array); });
    if (array.role == Role::input && (array.layout_of.empty() || read)) needed.push_back(array);
  }
  return needed;
}

}  // namespace

Problem::Problem(const Workload& workload, const Size& size, Dtype dtype,
                 const std::vector<const Variant*>& variants)
    : workload_(workload),
      size_(size),
      dtype_(dtype),
      inputs_(inputs_needed(workload.arrays(size, dtype), variants), dtype) {
  for (const auto& array : workload.arrays(size, dtype)) {
    if (array.role == Role::output) outputs_.push_back(array);
  }
}

void Problem::fill(InputKind kind) {
  kind_ = kind;
  oracles_.clear();
  refill();
}

std::optional<Mismatch> Problem::check(const Arrays& outputs, Arithmetic arithmetic) {
  auto& oracle = oracles_[arithmetic];
  if (!oracle) oracle = workload_.oracle(inputs_.view(), size_, dtype_, kind_, arithmetic);
  return oracle->check(outputs);
}

}  // namespace parlab
