// Samples of the trials of a point, in turns, some of them checked.
#pragma once

#include "sweep/bench.hpp"

namespace parlab {

// Until all are known well enough, in this cache state.
void take_samples(Bench& bench, Cache cache);

// A batch as for samples, which is checked; its times are not kept.
void check_as_timed(Bench& bench, Pending& pending);

}  // namespace parlab
