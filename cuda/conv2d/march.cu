// A thread marches down a column of a strip. It keeps three rows of its
// neighbourhood in registers and reads only the three points of the next row at
// each step, because the row below one point is the middle row of the next and
// the top row of the one after: three reads per point instead of nine. A warp
// has 32 neighbouring columns, so its three reads touch the same cache lines.
#include <algorithm>

#include "gpu/gpu.hpp"
#include "workloads/conv2d.hpp"

using namespace parlab;

namespace {

// The point and its neighbours left and right.
template <typename T>
__device__ void read_three(const T* point, T (&row)[3]) {
  _Pragma("unroll")
  for (int j = 0; j < 3; ++j)
    row[j] = point[j - 1];
}

template <typename T>
__global__ void conv2d_march(const T* a, T* b, std::int64_t rows,
                             std::int64_t cols, std::int64_t strip) {
  const std::int64_t col =
      std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x + 1;
  if (col >= cols - 1) return;

  for (std::int64_t top = std::int64_t{blockIdx.y} * strip; top < rows - 2;
       top += std::int64_t{gridDim.y} * strip) {
    // rows top + 1 to bottom are computed
    const std::int64_t bottom = min(top + strip, rows - 2);
    T window[3][3];
    read_three(a + top * cols + col, window[0]);
    read_three(a + (top + 1) * cols + col, window[1]);
    const T* below = a + (top + 2) * cols + col;
    T* out = b + (top + 1) * cols + col;
    for (std::int64_t row = top; row < bottom;
         ++row, below += cols, out += cols) {
      read_three(below, window[2]);
      T sum = 0;
      _Pragma("unroll")
      for (int i = 0; i < 3; ++i) {
        _Pragma("unroll")
        for (int j = 0; j < 3; ++j)
          sum += Conv2d::weight<T>(i - 1, j - 1) * window[i][j];
      }
      *out = sum;
      _Pragma("unroll")
      for (int j = 0; j < 3; ++j) {
        window[0][j] = window[1][j];
        window[1][j] = window[2][j];
      }
    }
  }
}

}  // namespace

const Register<Conv2d, float, double> variant(
    {
        .rung = 3,
        .idea = "a thread marches down a column with three rows in registers, "
                "three reads per point",
        .tunables = {block_size(128),
                     {.name = "strip", .fallback = 16, .min = 1, .max = 4096}},
    },
    []<typename T>(Gpu& gpu, const Conv2d::Args<T>& p,
                   const Tunables& tunables) {
      const auto block = tunables["block"], strip = tunables["strip"];
      const auto strips =
          std::max<std::int64_t>(blocks_in_y(p.rows - 2, strip), 1);
      gpu.launch({.grid = {ceil_div(p.cols, block), strips}, .block = {block}},
                 conv2d_march<T>, p.a, p.b, p.rows, p.cols, strip);
    });
