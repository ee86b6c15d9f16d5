// What moves between the GPUs of a machine at the most, and
// between a GPU and the host.
#pragma once

#include <map>
#include <string>

#include "places/cuda/cuda_gpus.hpp"
#include "places/cuda/cuda_streams.hpp"
#include "places/cuda/gpu_timer.hpp"

namespace parlab {

// Adds to `links` (see Ceilings::links) what this team reaches: the all-reduce
// over all of it, where NCCL is there, and for a team of two what one GPU
// sends to the other, alone and both at a time.
void measure_links(std::map<std::string, double>& links, CudaGpus& team,
                   GpuTimer& timer);

// Between this GPU and pinned memory of the host: one way, the
// other, and both at once.
std::map<std::string, double> measure_host_link(CudaStreams& streams,
                                                CudaGpu& gpu, GpuTimer& timer);

}  // namespace parlab
