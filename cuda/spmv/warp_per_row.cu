// A warp takes one row: its lanes read 32 neighbouring entries at a time, and
// add up their sums at the end. That suits long rows. In a row of three entries
// 29 lanes have nothing to do, and in an empty one all of them.
#include "gpu/gpu.hpp"
#include "workloads/spmv.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void spmv_warp_per_row(Spmv::Args<T> p) {
  const std::int64_t thread =
      std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t row = thread / 32;
  const auto lane = thread % 32;
  if (row >= p.rows) return;  // the whole warp
  T sum = 0;
  const std::int64_t end = p.row_begin[row + 1];
  for (auto e = p.row_begin[row] + lane; e < end; e += 32)
    sum += p.values[e] * p.x[p.columns[e]];
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) p.y[row] = sum;
}

}  // namespace

const Register<Spmv, float, double> variant(
    {
        .rung = 2,
        .idea = "a warp takes one row: its lanes read neighbouring entries",
        .tunables = {block_size(256, 32)},
    },
    []<typename T>(Gpu& gpu, const Spmv::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      gpu.launch({.grid = {ceil_div(p.rows * 32, block)}, .block = {block}},
                 spmv_warp_per_row<T>, p);
    });
