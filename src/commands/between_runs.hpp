// How far runs of this binary differ on this machine.
#pragma once

#include <vector>

#include "machine/machine.hpp"
#include "record/ceilings_file.hpp"

namespace parlab {

// Runs this program several times on a few points, one per workload and kind of
// place, and stores with the ceilings how much the medians of a point differ.
// Takes about a minute. Skips a place whose ceilings are unknown.
void measure_between_runs(CeilingsOfMachine& known,
                          const std::vector<GpuFacts>& gpus);

}  // namespace parlab
