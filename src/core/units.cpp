#include "core/units.hpp"

#include <algorithm>
#include <array>

namespace parlab {

bool is_unit(std::string_view name) {
  constexpr std::array<std::string_view, 8> names{
      "fma float",   "fma double",      "int",         "tensor double",
      "tensor tf32", "tensor bfloat16", "tensor half", "tensor int8"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string plain_unit(Dtype dtype) {
  return dispatch_all(dtype, []<typename T>(T) {
    return std::is_integral_v<T>       ? "int"
           : std::is_same_v<T, double> ? "fma double"
                                       : "fma float";
  });
}

}  // namespace parlab
