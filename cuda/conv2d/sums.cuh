// Shared by the marching kernels: words of points, the step to the next row,
// and sums in place of rows: each row that arrives is added to the three rows
// of b that it touches.
#pragma once

#include <cstdint>

#include "workloads/conv2d.hpp"

namespace {

constexpr unsigned all_lanes = 0xffffffffu;

// The unit of one read or write: n points, at most 16 bytes.
template <typename T, int n>
struct WordOf {
  using type = T;
};
template <>
struct WordOf<float, 2> {
  using type = float2;
};
template <>
struct WordOf<float, 4> {
  using type = float4;
};
template <>
struct WordOf<double, 2> {
  using type = double2;
};

template <typename T, int n>
struct Points {
  T at[n];
};

// One row down. The compiler must not see through this step: it would compute a
// separate address for every row of an unrolled loop, and those take more
// registers than the rows on their way.
__device__ __forceinline__ std::int64_t next_row(std::int64_t& at,
                                                 std::int64_t cols) {
  at += cols;
#ifdef __CUDA_ARCH__
  asm("" : "+l"(at));
#endif
  return at;
}

// sum += the row, as seen from the row `down` rows above it; points[0] is left
// of the lane's word.
template <int down, typename T, int n>
__device__ __forceinline__ void add_row(Points<T, n>& sum,
                                        const T (&points)[n + 2]) {
  _Pragma("unroll")
  for (int across = -1; across <= 1; ++across) {
    _Pragma("unroll")
    for (int k = 0; k < n; ++k) {
      sum.at[k] +=
          parlab::Conv2d::weight<T>(down, across) * points[k + 1 + across];
    }
  }
}

}  // namespace
