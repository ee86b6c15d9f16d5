// The last five steps of a block need no memory at all: the threads of a warp
// pass their sums to each other through registers. A warp writes one value to
// shared memory, one barrier follows, and the first warp adds these values: one
// barrier per launch instead of one per step.
#include "gpu/gpu.hpp"
#include "workloads/vector_sum.hpp"

using namespace parlab;

namespace {

// The warp's sum, returned in its first thread.
template <typename T>
__device__ T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, offset);
  }

  return value;
}

template <typename T>
__global__ void vector_sum_shuffle(const T* x, T* sums, std::int64_t n) {
  __shared__ T part[32];  // one per warp
  const std::int64_t i =
      2 * std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  T sum = i < n ? x[i] : T{0};
  if (i + blockDim.x < n) sum += x[i + blockDim.x];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = warp_sum(threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : T{0});
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  }
}

}  // namespace

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 4,
        .idea = "warps sum through registers; one barrier per block",
        .tunables = {block_size(256, 32)},
    },
    []<typename T>(Gpu& gpu, const VectorSum::Args<T>& p,
                   const Tunables& tunables) {
      const auto block = tunables["block"];
      T* to = gpu.scratch<T>(ceil_div(p.n, 2 * block));
      T* next = gpu.scratch<T>(ceil_div(p.n, 4 * block * block));
      const T* from = p.x;
      for (std::int64_t left = p.n;;) {
        const auto blocks = ceil_div(left, 2 * block);
        gpu.launch({.grid = {blocks}, .block = {block}}, vector_sum_shuffle<T>,
                   from, blocks == 1 ? p.sum : to, left);
        if (blocks == 1) break;
        from = to;
        std::swap(to, next);
        left = blocks;
      }
    });
