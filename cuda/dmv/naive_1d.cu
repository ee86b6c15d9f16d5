// One thread per row: the serial loop, divided by rows. There are no atomics
// and nothing to clear, but only as many threads as rows, far too few to keep
// the memory busy, and neighbouring threads still read addresses a whole row
// apart.
#include "gpu/gpu.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void dmv_naive_1d(const T* a, const T* x, T* y, std::int64_t rows,
                             std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;

  T sum = 0;
  for (std::int64_t col = 0; col < cols; ++col)
    sum += a[row * cols + col] * x[col];
  y[row] = sum;
}

}  // namespace

const Register<Dmv, float, double> variant(
    {
        .rung = 2,
        .id = 4,
        .idea = "a thread sums a whole row: no atomics, but few threads and "
                "uncoalesced reads",
        .tunables = {block_size()},
    },
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      gpu.launch({.grid = {ceil_div(p.rows, block)}, .block = {block}},
                 dmv_naive_1d<T>, p.a, p.x, p.y, p.rows, p.cols);
    });
