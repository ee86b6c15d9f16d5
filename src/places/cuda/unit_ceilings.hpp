// The arithmetic roofs of a GPU: the peak of each unit.
#pragma once

#include "machine/ceilings.hpp"
#include "places/cuda/cuda_gpu.hpp"
#include "places/cuda/gpu_timer.hpp"

namespace parlab {

// Adds those that are wanted and that the device has; products by warpgroups
// only where the program has code for them (GPU_ARCH=90).
void measure_units(Ceilings& ceilings,
                   CudaGpu& gpu,
                   GpuTimer& timer,
                   const WantedCeilings& wanted);

}  // namespace parlab
