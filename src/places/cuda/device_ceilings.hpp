// The roofs of a GPU, measured by the same timer as everything else: all of
// them take some seconds, those of one problem a few hundredths.
#pragma once

#include "machine/ceilings.hpp"
#include "places/cuda/cuda_gpu.hpp"
#include "places/cuda/gpu_timer.hpp"

namespace parlab {

// Adds the curves of reading and copying memory by footprint, and the time of
// an empty kernel. Footprints from 256 KB to 4 GB, less when memory is short.
// Loads and copies of 16 bytes per thread, the runtime's own copy, and bulk
// copies through shared memory where the program has code for them
// (GPU_ARCH=90).
void measure_bandwidth(Ceilings& ceilings, CudaGpu& gpu, GpuTimer& timer,
                       const WantedCeilings& wanted);

// Adds the peaks of the units that are wanted and that the device has; products
// by warpgroups only where the program has code for them (GPU_ARCH=90).
void measure_units(Ceilings& ceilings, CudaGpu& gpu, GpuTimer& timer,
                   const WantedCeilings& wanted);

}  // namespace parlab
