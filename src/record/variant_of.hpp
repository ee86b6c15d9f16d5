// The variant that a record was made with.
#pragma once

#include "core/variant.hpp"
#include "record/record.hpp"

namespace parlab {

// Returns nullptr if this build does not have it.
const Variant* variant_of(const Record& record);

}  // namespace parlab
