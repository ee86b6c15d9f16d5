// A thread takes one row, and reads it three times: for the maximum, the sum
// and the quotients. Neighbouring threads read elements that are a row apart.
#include "gpu/gpu.hpp"
#include "workloads/softmax.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void softmax_naive(Softmax::Args<T> p) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= p.rows) return;
  const T* a = p.a + row * p.cols;
  T most = a[0], sum = 0;
  for (std::int64_t col = 1; col < p.cols; ++col)
    most = max(most, a[col]);
  for (std::int64_t col = 0; col < p.cols; ++col)
    sum += exp(a[col] - most);
  for (std::int64_t col = 0; col < p.cols; ++col)
    p.b[row * p.cols + col] = exp(a[col] - most) / sum;
}

}  // namespace

const Register<Softmax, float, double> variant(
    {
        .rung = 1,
        .idea = "a thread takes one row",
        .tunables = {block_size(128)},
    },
    []<typename T>(Gpu& gpu, const Softmax::Args<T>& p,
                   const Tunables& tunables) {
      const auto block = tunables["block"];
      gpu.launch({.grid = {ceil_div(p.rows, block)}, .block = {block}},
                 softmax_naive<T>, p);
    });
