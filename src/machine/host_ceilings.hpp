// The roofs of the host, measured: memory bandwidth by footprint and
// FMA peaks, all cores at work.
#pragma once

#include "machine/ceilings.hpp"

namespace parlab {

// All of them take about 4 s, those of one problem some hundredths. Footprints
// in steps of two, from 32 KB to four times the caches (256 MiB to 1 GiB,
// and no more than a quarter of the free memory). The best of several ways
// and of several tries each: a roof is what the machine can reach, so a try
// that was disturbed does not count. Needs cores that are idle at least part
// of the time; on a loaded machine the roofs come out low.
Ceilings measure_host_ceilings(const WantedCeilings& wanted = {});

}  // namespace parlab
