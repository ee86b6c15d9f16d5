// Measures the roofs of the host: memory bandwidth by footprint and FMA peaks,
// with all cores at work.
#pragma once

#include "machine/ceilings.hpp"

namespace parlab {

// Measuring all roofs takes about 4 s, those of one problem some hundredths of
// a second. Footprints double from 32 KB to four times the caches (256 MiB to 1
// GiB, and at most a quarter of the free memory). The best of several methods
// and several tries counts, because a roof is what the machine can reach. The
// cores must be idle at least part of the time; on a loaded machine the roofs
// come out low.
Ceilings measure_host_ceilings(const WantedCeilings& wanted = {});

}  // namespace parlab
