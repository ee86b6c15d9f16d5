// A thread computes one element of C: a row of A times a column of B, both from
// global memory. Neighbouring threads take neighbouring columns, so a warp
// reads B along its rows, and one element of A serves all its threads in the
// same row. But every thread fetches 2 k elements for 2 k operations: memory
// must deliver whatever the caches miss.
#include "gpu/gpu.hpp"
#include "gpu/narrow.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// Sum: T, or float if T is half or bfloat16.
template <typename T, typename Sum>
__global__ void matmul_naive(const T* a, const T* b, Sum* c, std::int64_t m,
                             std::int64_t k, std::int64_t n) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= n) return;

  // A thread takes several rows if the grid is too small: see blocks_in_y().
  const std::int64_t rows_of_grid = std::int64_t{gridDim.y} * blockDim.y;
  for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       row < m; row += rows_of_grid) {
    Sum sum = 0;
    for (std::int64_t i = 0; i < k; ++i) {
      sum +=
          static_cast<Sum>(a[row * k + i]) * static_cast<Sum>(b[i * n + col]);
    }
    c[row * n + col] = sum;
  }
}

}  // namespace

const Register<Matmul, float, double, int, float16, bfloat16> variant(
    {
        .rung = 1,
        .idea = "a thread computes one element of C from global memory",
        .tunables = {{.name = "tile",
                      .fallback = 16,
                      .min = 8,
                      .max = 32,
                      .power_of_two = true}},
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p,
                   const Tunables& tunables) {
      const auto tile = tunables["tile"];
      const auto rows = blocks_in_y(p.m, tile);
      gpu.launch({.grid = {ceil_div(p.n, tile), rows}, .block = {tile, tile}},
                 matmul_naive<device_type<T>, Matmul::Result<T>>,
                 as_device(p.a), as_device(p.b), p.c, p.m, p.k, p.n);
    });
