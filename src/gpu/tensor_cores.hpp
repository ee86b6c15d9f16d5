// Products of small matrices that a warp computes together, on the tensor cores
// if the device has them.
#pragma once

#include "gpu/gpu.hpp"
#include "gpu/narrow.hpp"

namespace parlab {

// The lanes' elements of two factors, for devices without tensor cores: element
// i of a lane. All lanes must ask at once, and for the same i.
template <typename T, int A, int B>
class FactorsOfWarp {
 public:
#ifdef PARLAB_EMULATED
  FactorsOfWarp(const T (&a)[A], const T (&b)[B]) {
    Mine mine;
    std::copy_n(a, A, mine.a);
    std::copy_n(b, B, mine.b);
    lanes_ = emulation::all_lanes(mine);
  }
  T a(int i, int lane) const {
    return lanes_[lane].a[i];
  }
  T b(int i, int lane) const {
    return lanes_[lane].b[i];
  }

 private:
  struct Mine {
    T a[A], b[B];
  };
  std::array<Mine, 32> lanes_;
#else
  __device__ __forceinline__ FactorsOfWarp(const T (&a)[A], const T (&b)[B])
      : a_(a), b_(b) {}
  __device__ __forceinline__ T a(int i, int lane) const {
    return __shfl_sync(~0u, a_[i], lane);
  }
  __device__ __forceinline__ T b(int i, int lane) const {
    return __shfl_sync(~0u, b_[i], lane);
  }

 private:
  const T (&a_)[A];
  const T (&b_)[B];
#endif
};

// sum += a b in double, a 16 x K, b K x 8, K 4, 8 or 16. Lane l of the
// warp holds, with g = l / 4 and t = l % 4:
//   a    rows g and g + 8 of column t, then of columns t + 4, t + 8, t + 12
//   b    rows t, t + 4, t + 8, t + 12 of column g
//   sum  row g, columns 2 t and 2 t + 1, then row g + 8, the same columns
// All lanes take part; threads of a warp are neighbours in x. Rounded like a
// chain of fused multiply-adds. PTX ISA, matrix fragments for mma.m16n8k4, k8
// and k16 with .f64. Before compute capability 9.0 it uses products of 8 rows
// and 4 columns. Before 8.0, and in emulation, it uses multiply-adds with the
// elements of other lanes. Longer products come closer to the peak of an H200,
// because a warp waits some cycles between any two of them.
template <int K>
__device__ __forceinline__ void tensor_multiply_add(double (&sum)[4],
                                                    const double (&a)[K / 2],
                                                    const double (&b)[K / 4]) {
  static_assert(K == 4 || K == 8 || K == 16);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (K == 4) {
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
        : "d"(a[0]), "d"(a[1]), "d"(b[0]));
  } else if constexpr (K == 8) {
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
        "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]),
          "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
  }
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  _Pragma("unroll")
  for (int i = 0; i < K / 2; ++i) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
        "{%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sum[2 * (i % 2)]), "+d"(sum[2 * (i % 2) + 1])
        : "d"(a[i]), "d"(b[i / 2]));
  }
#else
  const int lane = threadIdx.x % 32, row = lane / 4, col = lane % 4 * 2;
  const FactorsOfWarp<double, K / 2, K / 4> factors(a, b);
  for (int k = 0; k < K; ++k) {
    const double left = factors.b(k / 4, col * 4 + k % 4);
    const double right = factors.b(k / 4, (col + 1) * 4 + k % 4);
    for (int part = 0; part < 2; ++part) {
      const double factor = factors.a(k / 4 * 2 + part, row * 4 + k % 4);
      sum[2 * part] = fma(factor, left, sum[2 * part]);
      sum[2 * part + 1] = fma(factor, right, sum[2 * part + 1]);
    }
  }
#endif
}

// The same for pairs of half or bfloat16 (__half2, __nv_bfloat162), a
// 16 x 16, b 16 x 8, sums in float:
//   a    columns 2 t and 2 t + 1 of row g, then of row g + 8; then both with 8
//        more columns
//   b    rows 2 t and 2 t + 1 of column g, then rows 2 t + 8 and 2 t + 9
//   sum  as above
// PTX ISA, matrix fragments for mma.m16n8k16 with floating-point type.
// Before compute capability 8.0 (and in emulation) products are exact, and
// their sum is rounded only to double.
template <typename Pair>
__device__ __forceinline__ void tensor_multiply_add(float (&sum)[4],
                                                    const Pair (&a)[4],
                                                    const Pair (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto word = [](const Pair& pair) {
    return *reinterpret_cast<const unsigned*>(&pair);
  };
#define PARLAB_MULTIPLY_ADD(type)                                            \
  asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                 \
      ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])               \
      : "r"(word(a[0])), "r"(word(a[1])), "r"(word(a[2])), "r"(word(a[3])),  \
        "r"(word(b[0])), "r"(word(b[1])))
  if constexpr (std::is_same_v<Pair, __half2>) {
    PARLAB_MULTIPLY_ADD("f16");
  } else {
    static_assert(std::is_same_v<Pair, __nv_bfloat162>,
                  "pairs of half or bfloat16");
    PARLAB_MULTIPLY_ADD("bf16");
  }
#undef PARLAB_MULTIPLY_ADD
#else
  const int lane = threadIdx.x % 32, row = lane / 4, col = lane % 4 * 2;
  const FactorsOfWarp<Pair, 4, 2> factors(a, b);
  double sums[4] = {sum[0], sum[1], sum[2], sum[3]};
  for (int k = 0; k < 8; ++k) {  // pairs of columns of a
    const Pair left = factors.b(k / 4, col * 4 + k % 4);
    const Pair right = factors.b(k / 4, (col + 1) * 4 + k % 4);
    for (int part = 0; part < 2; ++part) {
      const Pair factor = factors.a(k / 4 * 2 + part, row * 4 + k % 4);
      const double low = __low2float(factor), high = __high2float(factor);
      sums[2 * part] += low * __low2float(left) + high * __high2float(left);
      sums[2 * part + 1] +=
          low * __low2float(right) + high * __high2float(right);
    }
  }
  for (int i = 0; i < 4; ++i)
    sum[i] = static_cast<float>(sums[i]);
#endif
}

// The nearest number with 11 significant bits, ties away from zero. On an H200
// it takes fewer cycles than the instruction of to_tf32.
__device__ __forceinline__ float rounded_to_11_bits(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000) & ~0x1fffu);
}

// The same, by an instruction where there is one. Tensor cores keep only these
// bits of a float and would truncate it otherwise.
__device__ __forceinline__ float to_tf32(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
  return __uint_as_float(rounded);
#else
  return rounded_to_11_bits(x);
#endif
}

// The same for floats, of which the first 11 significant bits count (see
// to_tf32), a 16 x 8, b 8 x 8:
//   a    column t of rows g and g + 8, then column t + 4 of both
//   b    rows t and t + 4 of column g
//   sum  as above
// PTX ISA, matrix fragments for mma.m16n8k8 with .tf32.
__device__ __forceinline__ void tensor_multiply_add(float (&sum)[4],
                                                    const float (&a)[4],
                                                    const float (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),
        "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
        "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
#else
  const auto kept = [](float x) {
    return double{__uint_as_float(__float_as_uint(x) & ~0x1fffu)};
  };
  const int lane = threadIdx.x % 32, row = lane / 4, col = lane % 4 * 2;
  const FactorsOfWarp<float, 4, 2> factors(a, b);
  double sums[4] = {sum[0], sum[1], sum[2], sum[3]};
  for (int k = 0; k < 8; ++k) {
    const double left = kept(factors.b(k / 4, col * 4 + k % 4));
    const double right = kept(factors.b(k / 4, (col + 1) * 4 + k % 4));
    for (int part = 0; part < 2; ++part) {
      const double factor = kept(factors.a(k / 4 * 2 + part, row * 4 + k % 4));
      sums[2 * part] += factor * left;
      sums[2 * part + 1] += factor * right;
    }
  }
  for (int i = 0; i < 4; ++i)
    sum[i] = static_cast<float>(sums[i]);
#endif
}

}  // namespace parlab
