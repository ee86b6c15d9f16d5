// How far runs of this binary differ on this machine.
#pragma once

#include <vector>

#include "machine/machine.hpp"
#include "record/ceilings_file.hpp"

namespace parlab {

// Runs this program again and again on a few points, one of each workload and
// kind of place, and keeps with the ceilings what the medians of a point differ
// by. Takes about a minute. A place whose ceilings are not known is left out.
void measure_between_runs(CeilingsOfMachine& known,
                          const std::vector<GpuFacts>& gpus);

}  // namespace parlab
