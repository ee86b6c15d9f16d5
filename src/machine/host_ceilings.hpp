// Measures the roofs of the host: memory bandwidth by footprint and FMA peaks,
// with all cores at work.
#pragma once

#include <memory>

#include "machine/ceilings.hpp"

namespace parlab {

// Measuring all roofs takes about 4 s, those of one problem some hundredths of
// a second. Footprints double from 32 KB to four times the caches (256 MiB to 1
// GiB, and at most a quarter of the free memory). The best of several methods
// and several tries counts, because a roof is what the machine can reach. The
// cores must be idle at least part of the time; on a loaded machine the roofs
// come out low.
Ceilings measure_host_ceilings(const WantedCeilings& wanted = {});

// Short passes of the same methods, to be taken beside other measurements.
class CeilingPasses {
 public:
  CeilingPasses();
  ~CeilingPasses();
  // A pass of about 3 ms over the wanted units, and over memory of
  // wanted.most_bytes unless that is 0. All methods compete before the first
  // pass at a footprint; then the best goes on alone. A pass goes through some
  // 16 MiB of a larger footprint, the next pass through the next. The memory
  // stays allocated, 256 MiB at most.
  Ceilings take(const WantedCeilings& wanted);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace parlab
