// The variant that gave a record.
#pragma once

#include "core/variant.hpp"
#include "record/record.hpp"

namespace parlab {

// nullptr: this build does not have it.
const Variant* variant_of(const Record& record);

}  // namespace parlab
