// The arithmetic units of a machine, by name. Each has a peak, which is
// measured as a ceiling.
#pragma once

#include <string>
#include <string_view>

#include "core/types.hpp"

namespace parlab {

// Single multiply-adds ("fma float", "fma double", "int"), or products of small
// matrices ("tensor double", "tensor tf32", "tensor bfloat16", "tensor half",
// "tensor int8").
bool is_unit(std::string_view name);

// The unit that computes in this dtype by default. Narrow dtypes are widened to
// float.
std::string plain_unit(Dtype dtype);

}  // namespace parlab
