// Kernels that begin before the previous launch ends: programmatic dependent
// launch (CUDA C++ Programming Guide, section of that name). Starting a kernel
// takes some microseconds, and a small problem has no other work to hide them.
//
// A launch with .overlaps = true may begin once every block of the previous
// launch has called let_next_launch_begin() or has ended. All threads of its
// kernel must call wait_for_launch_before() before they touch memory that an
// earlier launch writes or reads, even by asynchronous copies. After that call
// all earlier launches have ended. Emulation reports an access that comes too
// early, and a thread that never waits. On devices or in builds before compute
// capability 9.0, launches follow one another as usual.
#pragma once

#include "gpu/gpu.hpp"

namespace parlab {

__device__ __forceinline__ void let_next_launch_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

__device__ __forceinline__ void wait_for_launch_before() {
#ifdef PARLAB_EMULATED
  emulation::wait_for_launch_before();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

}  // namespace parlab
