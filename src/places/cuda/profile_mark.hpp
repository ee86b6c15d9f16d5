// Tells a profiler which execution the kernels behind it belong to.
#pragma once

#include <cuda_runtime.h>

namespace parlab {

// Launches the kernel that is called profile_mark (places/executor.hpp), with
// number + 1 blocks.
void mark_execution(int number, cudaStream_t stream);

}  // namespace parlab
