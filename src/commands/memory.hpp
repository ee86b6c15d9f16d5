// Does the problem fit the memory of the host?
#pragma once

#include "sweep/plan.hpp"

namespace parlab {

// Throws UsageError that says how much is needed and free when not even the
// smallest of the problems fits: before anything is allocated.
void require_memory(const Plan& plan);

}  // namespace parlab
