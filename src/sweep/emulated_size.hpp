// How large a problem emulation is asked for.
#pragma once

#include "core/workload.hpp"

namespace parlab {

// Roughly, of one execution.
double emulated_seconds(const Work& work);

// The size itself where one execution takes no longer than this; else a smaller
// one whose extents have the divisors that kernels count on, as far as there is
// one. Equal extents stay equal.
Size size_to_emulate(const Workload& workload, const Size& size, Dtype dtype,
                     double seconds);

}  // namespace parlab
