// As many lanes take a row as it has entries on average, rounded up to a power
// of two. A warp then works on several rows at once. Neighbouring entries are
// still read together, and few lanes are idle. One long row still keeps its
// warp from ending.
#include "gpu/gpu.hpp"
#include "workloads/spmv.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void spmv_lanes(Spmv::Args<T> p, int lanes) {
  const std::int64_t thread =
      std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t row = thread / lanes;
  const auto lane = thread % lanes;
  T sum = 0;
  if (row < p.rows) {  // else: nothing to add, but the shuffles need all lanes
    const std::int64_t end = p.row_begin[row + 1];
    for (auto e = p.row_begin[row] + lane; e < end; e += lanes)
      sum += p.values[e] * p.x[p.columns[e]];
  }
  for (int step = lanes / 2; step > 0; step /= 2)
    sum += __shfl_down_sync(~0u, sum, step, lanes);
  if (lane == 0 && row < p.rows) p.y[row] = sum;
}

}  // namespace

const Register<Spmv, float, double> variant(
    {
        .rung = 3,
        .idea = "as many lanes take a row as it has entries on average",
        .tunables = {block_size(256, 32)},
    },
    []<typename T>(Gpu& gpu, const Spmv::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      int lanes = 1;
      while (lanes < 32 && lanes * p.rows < p.entries)
        lanes *= 2;
      gpu.launch({.grid = {ceil_div(p.rows * lanes, block)}, .block = {block}},
                 spmv_lanes<T>, p, lanes);
    });
