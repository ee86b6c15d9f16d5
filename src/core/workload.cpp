#include "core/workload.hpp"

#include <cmath>
#include <stdexcept>

namespace parlab {

std::string to_string(const Mismatch& mismatch) {
  char text[160];
  std::snprintf(text, sizeof text, "%s is %.9g, expected %.9g within %.2g", mismatch.where.c_str(),
                mismatch.found, mismatch.expected, mismatch.bound);
  return text;
}

ElementwiseOracle::ElementwiseOracle(std::string array, Dtype dtype, std::vector<double> expected,
                                     std::vector<double> bound)
    : array_(std::move(array)),
      dtype_(dtype),
      expected_(std::move(expected)),
      bound_(std::move(bound)) {
  if (expected_.size() != bound_.size()) throw std::logic_error("one bound per element");
}

std::optional<Mismatch> ElementwiseOracle::check(const Arrays& outputs) const {
  return dispatch(dtype_, [&]<typename T>(T) -> std::optional<Mismatch> {
    const T* found = outputs.get<const T>(array_);
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      const double value = static_cast<double>(found[i]);
      // Written so that NaN, which compares false, fails.
      if (!(std::abs(value - expected_[i]) <= bound_[i])) {
        return Mismatch{array_ + "[" + std::to_string(i) + "]", expected_[i], value, bound_[i]};
      }
    }
    return std::nullopt;
  });
}

double unit_roundoff(Dtype dtype, Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::tf32:
      return 0x1p-11;
    case Arithmetic::bf16:
      return 0x1p-8;
    default:
      break;
  }
  switch (dtype) {
    case Dtype::f32:
      return 0x1p-24;
    case Dtype::f64:
      return 0x1p-53;
    default:
      return 0;
  }
}

double gamma(std::int64_t n, double u) {
  const double nu = static_cast<double>(n) * u;
  if (nu >= 1) throw std::domain_error("no a-priori bound: n * unit roundoff is 1 or more");
  return nu / (1 - nu);
}

Size complete_size(const Workload& workload, const std::vector<std::int64_t>& typed) {
  const auto parameters = workload.parameters();
  const bool all = !parameters.empty() && typed.size() == workload.dimensions().size();
  const auto extents = all ? typed.size() - parameters.size() : typed.size();
  Size size =
      workload.complete({typed.begin(), typed.begin() + static_cast<std::ptrdiff_t>(extents)});
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    size.push_back(all ? typed[extents + i] : parameters[i].fallback);
    if (!parameters[i].allows(size.back())) {
      throw UsageError(parameters[i].name + " " + std::to_string(size.back()) +
                       " is not allowed: " + parameters[i].allowed());
    }
  }
  return size;
}

}  // namespace parlab
