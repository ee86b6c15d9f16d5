// The maximum and the sum come out of one pass, so that a row is read twice and
// not three times. A lane keeps the sum of exp(a - most) for the largest
// element so far; where a larger one comes, the sum is scaled to it. Shuffles
// join the lanes by the same rule. M. Milakov and N. Gimelshein, Online
// normalizer calculation for softmax, 2018.
#include "gpu/gpu.hpp"
#include "workloads/softmax.hpp"

using namespace parlab;

namespace {

// The sum of exp(x - most) over some x, the largest of which is `most`.
template <typename T>
struct Normalizer {
  T most, sum;
  __device__ void add(T other_most, T other_sum) {
    const T larger = max(most, other_most);
    sum = sum * exp(most - larger) + other_sum * exp(other_most - larger);
    most = larger;
  }
};

template <typename T>
__global__ void softmax_online(Softmax::Args<T> p) {
  const std::int64_t thread =
      std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t row = thread / 32, lane = thread % 32;
  if (row >= p.rows) return;  // the whole warp
  const T* a = p.a + row * p.cols;
  Normalizer<T> row_so_far{a[0], 0};
  for (auto col = lane; col < p.cols; col += 32)
    row_so_far.add(a[col], 1);
  for (int step = 16; step > 0; step /= 2) {
    const T most = __shfl_xor_sync(~0u, row_so_far.most, step),
            sum = __shfl_xor_sync(~0u, row_so_far.sum, step);
    row_so_far.add(most, sum);
  }
  for (auto col = lane; col < p.cols; col += 32) {
    p.b[row * p.cols + col] = exp(a[col] - row_so_far.most) / row_so_far.sum;
  }
}

}  // namespace

const Register<Softmax, float, double> variant(
    {
        .rung = 3,
        .idea = "the maximum and the sum in one pass over the row",
        .tunables = {block_size(256, 32)},
    },
    []<typename T>(Gpu& gpu, const Softmax::Args<T>& p,
                   const Tunables& tunables) {
      const auto block = tunables["block"];
      gpu.launch({.grid = {ceil_div(p.rows * 32, block)}, .block = {block}},
                 softmax_online<T>, p);
    });
