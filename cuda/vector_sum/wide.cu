// Every thread adds many elements before it meets another thread. A grid of one
// wave goes through x. A thread reads 16 bytes at a time, eight times before it
// uses the first (see share.cuh). With 128 bytes per thread on their way, the
// whole device waits for memory at once and not thread by thread. There are few
// steps between threads, and few blocks whose sums the second launch adds. Both
// cost little.
#include <algorithm>

#include "gpu/gpu.hpp"
#include "share.cuh"
#include "workloads/vector_sum.hpp"

using namespace parlab;

namespace {

// The bound of 1024 threads lets the compiler use the registers that many loads
// in flight need.
template <typename T>
__global__ void __launch_bounds__(1024, 1)
    vector_sum_wide(const T* x, T* sums, std::int64_t n) {
  __shared__ T part[32];  // one per warp
  const T sum = block_sum(share(x, n), part);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

}  // namespace

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 5,
        .idea = "one wave of threads, eight 16-byte loads of each in flight; "
                "two launches",
        .tunables = {block_size(512, 32)},
    },
    []<typename T>(Gpu& gpu, const VectorSum::Args<T>& p,
                   const Tunables& tunables) {
      const auto block = tunables["block"];
      const std::int64_t wave =
          gpu.multiprocessors() *
          gpu.resident_blocks(vector_sum_wide<T>, static_cast<int>(block));
      const auto needed = ceil_div(p.n, block * Pack<T>::count);
      const auto blocks = std::min(wave, needed);
      T* sums = gpu.scratch<T>(blocks);
      gpu.launch({.grid = {blocks}, .block = {block}}, vector_sum_wide<T>, p.x,
                 blocks == 1 ? p.sum : sums, p.n);
      if (blocks > 1) {
        gpu.launch({.grid = {1}, .block = {block}}, vector_sum_wide<T>, sums,
                   p.sum, blocks);
      }
    });
