// Does the problem fit the memory of the host?
#pragma once

#include "sweep/plan.hpp"

namespace parlab {

// Bytes of the arrays of one problem, with the layouts that the chosen variants read.
double bytes_needed(const Plan& plan, const Size& size, Dtype dtype);
// Bytes this process can still get: of the machine and of its control group.
double bytes_free();
// Throws UsageError that says how much is needed and free, before anything is allocated.
void require_memory(const Plan& plan, double free);

}  // namespace parlab
