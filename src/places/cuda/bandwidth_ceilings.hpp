// The memory roofs of a GPU: reading and copying, by footprint.
#pragma once

#include "machine/ceilings.hpp"
#include "places/cuda/cuda_gpu.hpp"
#include "places/cuda/gpu_timer.hpp"

namespace parlab {

// Adds the curves, and the time of an empty kernel. Footprints from 256
// KB to 4 GB, less when memory is short. Loads and copies of 16 bytes per
// thread, the runtime's own copy, and bulk copies through shared memory
// where the program has code for them (GPU_ARCH=90).
void measure_bandwidth(Ceilings& ceilings,
                       CudaGpu& gpu,
                       GpuTimer& timer,
                       const WantedCeilings& wanted);

}  // namespace parlab
