// The report's second kernel, BRW: reduction without divergence. A block takes
// twice as many elements as it has threads. The first half of the threads still
// at work adds the element half the width farther on, and the width is halved.
// Working threads are neighbours: whole warps work or rest, a warp reads and
// writes one stretch of memory, and no modulo is needed. It still works in
// global memory, in place, on a copy of x, with one launch per level.
#include "gpu/gpu.hpp"
#include "workloads/vector_sum.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void vector_sum_brw(T* v, T* sums, std::int64_t n) {
  const std::int64_t first = 2 * std::int64_t{blockIdx.x} * blockDim.x;

  // An odd width keeps its middle element for the next step, so that any block
  // size works.
  for (unsigned width = 2 * blockDim.x; width > 1;) {
    const unsigned half = (width + 1) / 2;
    if (threadIdx.x + half < width && first + threadIdx.x + half < n) {
      v[first + threadIdx.x] += v[first + threadIdx.x + half];
    }
    __syncthreads();
    width = half;
  }

  if (threadIdx.x == 0) sums[blockIdx.x] = v[first];
}

}  // namespace

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 2,
        .idea = "report: the first half of the threads adds the second half, "
                "in global memory",
        .tunables = {block_size()},
        .label = "BRW",
    },
    []<typename T>(Gpu& gpu, const VectorSum::Args<T>& p,
                   const Tunables& tunables) {
      const auto block = tunables["block"];
      T* from = gpu.scratch<T>(p.n);
      T* to = gpu.scratch<T>(ceil_div(p.n, 2 * block));
      gpu.copy(from, p.x, p.n * sizeof(T));
      for (std::int64_t left = p.n;;) {
        const auto blocks = ceil_div(left, 2 * block);
        gpu.launch({.grid = {blocks}, .block = {block}}, vector_sum_brw<T>,
                   from, blocks == 1 ? p.sum : to, left);
        if (blocks == 1) break;
        std::swap(from, to);
        left = blocks;
      }
    });
