// The roofs of a GPU, measured by the same timer as everything else.
#pragma once

#include "places/cuda/cuda_gpu.hpp"
#include "places/cuda/device_timer.hpp"

namespace parlab {

// Read and copy bandwidth over footprints from 256 KB to 4 GB (less when memory is short), hot;
// FMA rates of float, double and int; the time of an empty kernel. Takes under two seconds.
Ceilings measure_device_ceilings(CudaGpu& gpu, DeviceTimer& timer,
                                 const WantedCeilings& wanted = {});

}  // namespace parlab
