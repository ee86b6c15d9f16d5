// Products of small matrices by a warp together, on the tensor cores where the device has them.
#pragma once

#include "gpu/gpu.hpp"

namespace parlab {

// sum += a b in double, a 16 x 4, b 4 x 8. Lane l of the warp holds, with g = l / 4 and t = l % 4:
//   a    rows g and g + 8 of column t
//   b    row t of column g
//   sum  row g, columns 2 t and 2 t + 1, then row g + 8, the same columns
// All lanes take part; threads of a warp are neighbours in x. Rounded like a chain of fused
// multiply-adds. PTX ISA, matrix fragments for mma.m16n8k4 with .f64. Before compute capability 9.0
// as two products of 8 rows, before 8.0 (and in emulation) as multiply-adds of shuffled values.
__device__ __forceinline__ void tensor_multiply_add(double (&sum)[4], const double (&a)[2],
                                                    double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(a[0]), "d"(a[1]), "d"(b));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  _Pragma("unroll")
  for (int part = 0; part < 2; ++part) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sum[2 * part]), "+d"(sum[2 * part + 1])
        : "d"(a[part]), "d"(b));
  }
#else
  const int lane = threadIdx.x % 32, row = lane / 4, col = lane % 4 * 2;
  for (int k = 0; k < 4; ++k) {
    const double left = __shfl_sync(~0u, b, col * 4 + k);
    const double right = __shfl_sync(~0u, b, (col + 1) * 4 + k);
    for (int part = 0; part < 2; ++part) {
      const double factor = __shfl_sync(~0u, a[part], row * 4 + k);
      sum[2 * part] = fma(factor, left, sum[2 * part]);
      sum[2 * part + 1] = fma(factor, right, sum[2 * part + 1]);
    }
  }
#endif
}

}  // namespace parlab
