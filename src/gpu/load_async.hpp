// A thread's asynchronous copies to shared memory, from data that may be only
// partly there. If its size is not known in advance, __pipeline_memcpy_async
// branches.
#pragma once

#include "gpu/gpu.hpp"

namespace parlab {

// Copies 4, 8 or 16 bytes; both addresses must be multiples of that. The first
// `there` bytes are read, the others become zero. Wait for it as for the
// toolkit's copies: __pipeline_commit. Synchronous before compute capability
// 8.0.
template <int bytes>
__device__ __forceinline__ void load_async(void* shared, const void* from,
                                           int there = bytes) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16);
#ifdef PARLAB_EMULATED
  emulation::copy_async(shared, from, bytes, bytes - there);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (bytes == 16) {  // bypasses L1
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
                 "l"(from), "r"(there)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to),
                 "l"(from), "n"(bytes), "r"(there)
                 : "memory");
  }
#else
  for (int i = 0; i < bytes; ++i) {
    static_cast<char*>(shared)[i] =
        i < there ? static_cast<const char*>(from)[i] : char{0};
  }
#endif
}

}  // namespace parlab
