// The roofs of a GPU, measured by the same timer as everything else.
#pragma once

#include "places/cuda/cuda_gpu.hpp"
#include "places/cuda/gpu_timer.hpp"

namespace parlab {

// All of them take some seconds, those of one problem a few hundredths:
// see the two parts for what there is.
Ceilings measure_device_ceilings(CudaGpu& gpu,
                                 GpuTimer& timer,
                                 const WantedCeilings& wanted = {});

}  // namespace parlab
