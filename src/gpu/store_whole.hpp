// A store of a small struct that stays whole. nvcc 13.0 may split an ordinary
// one, or merge it with other stores of its elements; then a warp writes each
// line in several parts.
#pragma once

#include <bit>
#include <type_traits>

#include "gpu/gpu.hpp"

namespace parlab {

// T: of 4, 8 or 16 bytes; to: aligned to them.
template <typename T>
__device__ __forceinline__ void store_whole(void* to, const T& value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
#ifdef PARLAB_EMULATED
  *static_cast<T*>(to) = value;
#else
  using Bits =
      std::conditional_t<sizeof(T) == 16, uint4,
                         std::conditional_t<sizeof(T) == 8, uint2, unsigned>>;
  __stwb(static_cast<Bits*>(to), std::bit_cast<Bits>(value));
#endif
}

}  // namespace parlab
