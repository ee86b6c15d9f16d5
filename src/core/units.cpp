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
  switch (dtype) {
    case Dtype::f32:
    case Dtype::f16:
    case Dtype::bf16:
      return "fma float";
    case Dtype::f64:
      return "fma double";
    case Dtype::i32:
    case Dtype::i8:
    case Dtype::u8:
    case Dtype::u32:
      return "int";
  }
  refuse(dtype);
}

}  // namespace parlab
