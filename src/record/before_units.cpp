#include "record/before_units.hpp"

#include "core/units.hpp"

namespace parlab {

void assume_unit(Record& record) {
  record.unit = plain_unit(record.dtype);
  const bool products =
      record.workload == "matmul" || record.workload == "covariance";
  if (products && record.dtype == Dtype::f64 &&
      (record.variant == "tensor" || record.variant.starts_with("cublas"))) {
    record.unit = "tensor double";
  }
  if (record.variant.ends_with("_tf32")) {
    record.unit = "tensor tf32";
    record.arithmetic = Arithmetic::tf32;
  }
}

void assume_units(Ceilings& ceilings) {
  std::map<std::string, double> named;
  for (const auto& [name, rate] : ceilings.units) {
    if (name == "double on tensor cores") {
      named["tensor double"] = rate;
    } else {
      named[name == "float" || name == "double" ? "fma " + name : name] = rate;
    }
  }
  ceilings.units = std::move(named);
}

}  // namespace parlab
