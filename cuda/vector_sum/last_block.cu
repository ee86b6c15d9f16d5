// wide in one launch: the second launch costs more than what it does. A block that has written its
// sum counts itself; the one that finds that all others have done so adds the sums. The fence makes
// a block's sum visible before its count. The sums are added in the order of the blocks, whichever
// block does it: the result is the same every time.
#include "gpu/gpu.hpp"
#include "share.cuh"
#include "workloads/vector_sum.hpp"

using namespace parlab;

namespace {

// sums: one per block. finished: zero before, zero afterwards. At most 1024 threads: so the
// compiler may use the registers that many loads in flight need.
template <typename T>
__global__ void __launch_bounds__(1024, 1)
    vector_sum_last_block(const T* x, T* sum, std::int64_t n, T* sums, unsigned* finished) {
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
  // Past the first-level cache, which other blocks' writes do not reach.
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) mine += __ldcg(&sums[i]);
  mine = block_sum(mine, part);
  if (threadIdx.x == 0) {
    *sum = mine;
    atomicExch(finished, 0u);
  }
}

}  // namespace

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 6,
        .idea = "wide in one launch: the block that finishes last adds the sums of all",
        .tunables = {block_size(512, 32)},
    },
    []<typename T>(Gpu& gpu, const VectorSum::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      const std::int64_t wave =
          gpu.multiprocessors() *
          gpu.resident_blocks(vector_sum_last_block<T>, static_cast<int>(block));
      const auto blocks = std::min(wave, ceil_div(p.n, block * Pack<T>::count));
      gpu.launch({.grid = {blocks}, .block = {block}}, vector_sum_last_block<T>, p.x, p.sum, p.n,
                 gpu.scratch<T>(blocks), gpu.zeroed_scratch<unsigned>(1));
    });
