// A thread takes one row. The lanes of a warp work on 32 rows, so they read
// addresses that lie far apart, and all wait for the longest of these rows.
#include "gpu/gpu.hpp"
#include "workloads/spmv.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void spmv_naive(Spmv::Args<T> p) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= p.rows) return;
  T sum = 0;
  for (auto e = p.row_begin[row]; e < p.row_begin[row + 1]; ++e)
    sum += p.values[e] * p.x[p.columns[e]];
  p.y[row] = sum;
}

}  // namespace

const Register<Spmv, float, double> variant(
    {
        .rung = 1,
        .idea = "a thread takes one row",
        .tunables = {block_size(256)},
    },
    []<typename T>(Gpu& gpu, const Spmv::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      gpu.launch({.grid = {ceil_div(p.rows, block)}, .block = {block}},
                 spmv_naive<T>, p);
    });
