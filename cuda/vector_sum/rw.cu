// The report's first kernel, RW: reduction with divergence. A thread stands for
// one element. In the steps 1, 2, 4, ... every thread whose number is divisible
// by twice the step adds the element one step farther on. The working threads
// lie farther and farther apart: half of each warp idles from the first step
// on, and a warp's reads and writes spread over more and more memory.
// Everything happens in global memory, in place, on a copy of x. A launch
// leaves one sum per block; launches follow until one value is left. The time
// is that of the whole sum.
#include "gpu/gpu.hpp"
#include "workloads/vector_sum.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void vector_sum_rw(T* v, T* sums, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    if (threadIdx.x % (2 * step) == 0 && threadIdx.x + step < blockDim.x &&
        i + step < n) {
      v[i] += v[i + step];
    }
    __syncthreads();
  }

  if (threadIdx.x == 0) sums[blockIdx.x] = v[i];
}

}  // namespace

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 1,
        .idea = "report: every 2nd, 4th, 8th ... thread adds its neighbour, in "
                "global memory",
        .tunables = {{.name = "block", .fallback = 256, .min = 2, .max = 1024}},
        .label = "RW",
    },
    []<typename T>(Gpu& gpu, const VectorSum::Args<T>& p,
                   const Tunables& tunables) {
      const auto block = tunables["block"];
      T* from = gpu.scratch<T>(p.n);
      T* to = gpu.scratch<T>(ceil_div(p.n, block));
      gpu.copy(from, p.x, p.n * sizeof(T));
      for (std::int64_t left = p.n;;) {
        const auto blocks = ceil_div(left, block);
        gpu.launch({.grid = {blocks}, .block = {block}}, vector_sum_rw<T>, from,
                   blocks == 1 ? p.sum : to, left);
        if (blocks == 1) break;
        std::swap(from, to);
        left = blocks;
      }
    });
