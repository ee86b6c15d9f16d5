#include "places/cuda/device_ceilings.hpp"

#include "places/cuda/bandwidth_ceilings.hpp"
#include "places/cuda/unit_ceilings.hpp"

namespace parlab {

Ceilings measure_device_ceilings(CudaGpu& gpu,
                                 GpuTimer& timer,
                                 const WantedCeilings& wanted) {
  Ceilings ceilings;
  measure_bandwidth(ceilings, gpu, timer, wanted);
  measure_units(ceilings, gpu, timer, wanted);
  return ceilings;
}

}  // namespace parlab
