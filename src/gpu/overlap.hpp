// Kernels that begin before the launch before them ends: programmatic
// dependent launch (CUDA C++ Programming Guide, section of that name).
// Starting a kernel takes some microseconds, and a small problem has no
// other work to hide them behind.
//
// A launch with .overlaps = true may begin as soon as every block of the
// launch before it has said let_next_launch_begin(), or has ended. All
// threads of its kernel call wait_for_launch_before() before they touch
// memory that a launch before it writes or reads, asynchronous copies
// included: then all of these have ended.
// Emulation names the access that comes too early, and the thread that
// never waits. Where a device or a build is older than compute capability
// 9.0, launches follow one another as ever.
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
