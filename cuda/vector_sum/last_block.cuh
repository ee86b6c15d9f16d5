// The kernel of `last_block`; last_block.cu says how it works. The variants for
// several GPUs use it too.
#pragma once

#include <algorithm>

#include "gpu/gpu.hpp"
#include "share.cuh"
#include "workloads/vector_sum.hpp"

using namespace parlab;

namespace {

// sums: one per block. finished: zero before and afterwards. The bound of
// 1024 threads lets the compiler use the registers that many loads in flight
// need.
template <typename T>
__global__ void __launch_bounds__(1024, 1)
    vector_sum_last_block(const T* x, T* sum, std::int64_t n, T* sums,
                          unsigned* finished) {
  __shared__ T part[32];
  __shared__ bool last;
  T mine = block_sum(share(x, n), part);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = mine;
    __threadfence();
    last = atomicAdd(finished, 1u) == gridDim.x - 1;
  }

  __syncthreads();
  if (!last) return;

  __threadfence();
  mine = 0;

  // Bypasses the first-level cache, which other blocks' writes do not reach.
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
    mine += __ldcg(&sums[i]);
  mine = block_sum(mine, part);
  if (threadIdx.x == 0) {
    *sum = mine;
    atomicExch(finished, 0u);
  }
}

template <typename T>
void launch_last_block(Gpu& gpu, const VectorSum::Args<T>& p,
                       std::int64_t block) {
  const std::int64_t wave =
      gpu.multiprocessors() *
      gpu.resident_blocks(vector_sum_last_block<T>, static_cast<int>(block));
  const auto blocks = std::min(wave, ceil_div(p.n, block * Pack<T>::count));
  gpu.launch({.grid = {blocks}, .block = {block}}, vector_sum_last_block<T>,
             p.x, p.sum, p.n, gpu.scratch<T>(blocks),
             gpu.zeroed_scratch<unsigned>(1));
}

}  // namespace
