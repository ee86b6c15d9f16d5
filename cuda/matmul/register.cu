// Register blocking. A block of 256 threads computes a tile of C of 128 x 128
// elements, a thread 8 x 8 of them. For each step along k a thread reads 8
// elements of A and 8 of B from shared memory and makes 64 products of them;
// the variants before make one product of two. Shared memory is no longer the
// bottleneck. A thread's elements lie 16 apart, so that neighbouring threads
// read neighbouring words. A is stored transposed: a column of the tile is one
// row in shared memory.
#include "gpu/gpu.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void __launch_bounds__(256, sizeof(T) == 4 ? 2 : 1)
    matmul_register(const T* a, const T* b, T* c, std::int64_t m,
                    std::int64_t k, std::int64_t n) {
  constexpr int edge = 128, deep = 8, per_thread = 8, across = 16,
                threads = 256;
  // one more: a warp stores several k of one row
  __shared__ T a_tile[deep][edge + 1];
  __shared__ T b_tile[deep][edge];
  const int thread = threadIdx.x, x = thread % across, y = thread / across;

  // The first elements of the tiles that this thread copies; the others follow
  // in steps of rows.
  const int a_row = thread / deep, a_i = thread % deep, b_i = thread / edge,
            b_col = thread % edge;
  const std::int64_t col0 = std::int64_t{blockIdx.x} * edge;

  // A block takes several tiles if the grid is too small: see blocks_in_y().
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * edge; row0 < m;
       row0 += std::int64_t{gridDim.y} * edge) {
    T sum[per_thread][per_thread] = {};
    for (std::int64_t k0 = 0; k0 < k; k0 += deep) {
      _Pragma("unroll")
      for (int r = 0; r < edge; r += threads / deep) {
        const bool there = row0 + a_row + r < m && k0 + a_i < k;
        a_tile[a_i][a_row + r] =
            there ? a[(row0 + a_row + r) * k + k0 + a_i] : T{0};
      }
      _Pragma("unroll")
      for (int i = 0; i < deep; i += threads / edge) {
        const bool there = k0 + b_i + i < k && col0 + b_col < n;
        b_tile[b_i + i][b_col] =
            there ? b[(k0 + b_i + i) * n + col0 + b_col] : T{0};
      }
      __syncthreads();
      _Pragma("unroll")
      for (int i = 0; i < deep; ++i) {
        T a_column[per_thread], b_row[per_thread];
        _Pragma("unroll")
        for (int r = 0; r < per_thread; ++r) {
          a_column[r] = a_tile[i][y + r * across];
          b_row[r] = b_tile[i][x + r * across];
        }
        _Pragma("unroll")
        for (int r = 0; r < per_thread; ++r) {
          _Pragma("unroll")
          for (int s = 0; s < per_thread; ++s)
            sum[r][s] += a_column[r] * b_row[s];
        }
      }
      __syncthreads();  // before the next tiles overwrite these
    }
    _Pragma("unroll")
    for (int r = 0; r < per_thread; ++r) {
      _Pragma("unroll")
      for (int s = 0; s < per_thread; ++s) {
        const std::int64_t row = row0 + y + r * across,
                           col = col0 + x + s * across;
        if (row < m && col < n) c[row * n + col] = sum[r][s];
      }
    }
  }
}

}  // namespace

const Register<Matmul, float, double, int> variant(
    {
        .rung = 4,
        .idea = "a thread keeps 8 x 8 elements of C in registers: 64 products "
                "from 16 reads",
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      const auto rows = blocks_in_y(p.m, 128);
      gpu.launch({.grid = {ceil_div(p.n, 128), rows}, .block = {256}},
                 matmul_register<T>, p.a, p.b, p.c, p.m, p.k, p.n);
    });
