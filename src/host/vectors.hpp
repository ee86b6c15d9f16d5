// Vectors as wide as the registers of the CPU that a file is compiled for.
#pragma once

namespace parlab {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

// unaligned: for memory that is only aligned to its elements.
template <typename T>
struct VectorOf {
  typedef T type __attribute__((vector_size(vector_bytes)));
  typedef T unaligned
      __attribute__((vector_size(vector_bytes), aligned(sizeof(T)), may_alias));
};

}  // namespace parlab
