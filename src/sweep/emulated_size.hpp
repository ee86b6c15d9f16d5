// Chooses how large a problem is emulated, and sizes that reveal mistakes.
#pragma once

#include "core/workload.hpp"

namespace parlab {

// A rough estimate for one execution.
double emulated_seconds(const Work& work);

// The size itself if one execution takes no longer than `seconds`. Otherwise a
// smaller size whose extents keep, as far as possible, the divisors that
// kernels count on. Equal extents stay equal.
Size size_to_emulate(const Workload& workload, const Size& size, Dtype dtype,
                     double seconds);

// The same extents with another value of each parameter that has several: a
// kernel may have one of them as a constant.
Size with_other_parameters(const Workload& workload, Size size);
// The same extents with parameters beyond the threads of a block, or as large
// as they may be: a halo may then reach further than the block beside it.
Size with_large_parameters(const Workload& workload, Size size);

}  // namespace parlab
