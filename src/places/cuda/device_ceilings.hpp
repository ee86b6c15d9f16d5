// Measures the roofs of a GPU by the same timer as everything else. All of them
// take some seconds, those of one problem a few hundredths.
#pragma once

#include "machine/ceilings.hpp"
#include "places/cuda/cuda_gpu.hpp"
#include "places/cuda/gpu_timer.hpp"

namespace parlab {

// Whether the device and this program's code for it have warpgroups, and with
// them bulk copies.
bool has_warpgroups();

// Adds the curves of reading and copying memory by footprint, and the time of
// an empty kernel. Footprints reach from 256 KB to 4 GB, or less when memory is
// short. The ways are loads and copies of 16 bytes per thread, the runtime's
// own copy, and bulk copies through shared memory if the program has code for
// them (GPU_ARCH=90).
void measure_bandwidth(Ceilings& ceilings, CudaGpu& gpu, GpuTimer& timer,
                       const WantedCeilings& wanted);

// Adds the peaks of the wanted units that the device has. Products by
// warpgroups are measured only if the program has code for them (GPU_ARCH=90).
void measure_units(Ceilings& ceilings, CudaGpu& gpu, GpuTimer& timer,
                   const WantedCeilings& wanted);

}  // namespace parlab
