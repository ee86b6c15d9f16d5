// A warp takes one row. Its lanes read neighbouring elements, and shuffles join
// their maxima, and then their sums. It still reads the row three times.
#include "gpu/gpu.hpp"
#include "workloads/softmax.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void softmax_warp_per_row(Softmax::Args<T> p) {
  const std::int64_t thread =
      std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t row = thread / 32, lane = thread % 32;
  if (row >= p.rows) return;  // the whole warp
  const T* a = p.a + row * p.cols;
  T most = a[0], sum = 0;
  for (auto col = lane; col < p.cols; col += 32)
    most = max(most, a[col]);
  for (int step = 16; step > 0; step /= 2)
    most = max(most, __shfl_xor_sync(~0u, most, step));
  for (auto col = lane; col < p.cols; col += 32)
    sum += exp(a[col] - most);
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(~0u, sum, step);
  for (auto col = lane; col < p.cols; col += 32)
    p.b[row * p.cols + col] = exp(a[col] - most) / sum;
}

}  // namespace

const Register<Softmax, float, double> variant(
    {
        .rung = 2,
        .idea = "a warp takes one row: its lanes read neighbouring elements",
        .tunables = {block_size(256, 32)},
    },
    []<typename T>(Gpu& gpu, const Softmax::Args<T>& p,
                   const Tunables& tunables) {
      const auto block = tunables["block"];
      gpu.launch({.grid = {ceil_div(p.rows * 32, block)}, .block = {block}},
                 softmax_warp_per_row<T>, p);
    });
