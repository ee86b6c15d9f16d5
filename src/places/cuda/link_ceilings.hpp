// Measures the highest transfer rates between the GPUs of a machine, and
// between a GPU and the host.
#pragma once

#include <map>
#include <string>

#include "places/cuda/cuda_gpus.hpp"
#include "places/cuda/cuda_streams.hpp"
#include "places/cuda/gpu_timer.hpp"

namespace parlab {

// Adds the rates of this team to `links` (see Ceilings::links): the all-reduce
// over all of it, if NCCL is available, and for a team of two the rates between
// the GPUs, one way and both ways at once.
void measure_links(std::map<std::string, double>& links, CudaGpus& team,
                   GpuTimer& timer);

// Rates between this GPU and pinned host memory: each way alone, and both at
// once.
std::map<std::string, double> measure_host_link(CudaStreams& streams,
                                                CudaGpu& gpu, GpuTimer& timer);

}  // namespace parlab
