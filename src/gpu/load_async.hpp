// Asynchronous copies of a thread to shared memory, of which only a part may be
// there. __pipeline_memcpy_async branches where it is not known before how much
// that is.
#pragma once

#include "gpu/gpu.hpp"

namespace parlab {

// The first `there` bytes are read, what follows is zero; 4, 8 or 16 bytes,
// both addresses multiples of them. To be waited for as the toolkit's
// copies: __pipeline_commit. Before compute capability 8.0 not asynchronous.
template <int bytes>
__device__ __forceinline__ void load_async(void* shared, const void* from,
                                           int there = bytes) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16);
#ifdef PARLAB_EMULATED
  emulation::copy_async(shared, from, bytes, bytes - there);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (bytes == 16) {  // past L1
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
