// The values that tuning tries.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/variant.hpp"
#include "sweep/plan.hpp"

namespace parlab {

// One axis per tunable of the variant, ascending, without duplicates and not
// empty. If values were asked for by name, the axis has those. Otherwise it has
// all allowed values if there are at most 16; for threads 1, 2, 4, ... and
// cores; for a block the multiples of a warp; for anything else the allowed
// ones of 2^k and 3*2^k, and both ends. Throws UsageError when none of the
// values asked for is allowed.
std::vector<TunableAxis> axes_of(
    const Variant& variant,
    const std::map<std::string, std::vector<std::int64_t>>& asked,
    std::int64_t cores);

// The number of configurations, as a double, because a product of many axes may
// be large.
double count_of(const std::vector<TunableAxis>& axes);

// Every tunable as declared, with 0 threads (all cores) replaced by the number.
TunableValues defaults_of(const Variant& variant, std::int64_t cores);

}  // namespace parlab
