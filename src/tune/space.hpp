// The values that tuning tries.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/variant.hpp"
#include "sweep/plan.hpp"

namespace parlab {

// One axis per tunable of the variant, ascending, no value twice, at least one.
// The values asked for, by name, where there are any; otherwise all that are
// allowed when these are at most 16; of threads 1, 2, 4, ... and cores; of a
// block the multiples of a warp; of anything else 2^k and 3*2^k as far as
// allowed, and both ends. Throws UsageError when none of the values asked for
// is allowed.
std::vector<TunableAxis> axes_of(
    const Variant& variant,
    const std::map<std::string, std::vector<std::int64_t>>& asked,
    std::int64_t cores);

// How many configurations there are. As a double: a product of
// many axes may be large.
double count_of(const std::vector<TunableAxis>& axes);

// Every tunable as declared, all cores said as their number.
TunableValues defaults_of(const Variant& variant, std::int64_t cores);

}  // namespace parlab
