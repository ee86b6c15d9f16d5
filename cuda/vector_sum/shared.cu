// The steps move into shared memory. A thread adds two elements as it reads
// them and puts the sum where its block can reach it in some twenty cycles;
// only one sum per block goes back to global memory. x is read once and never
// written, so no copy is needed.
#include "gpu/gpu.hpp"
#include "workloads/vector_sum.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void vector_sum_shared(const T* x, T* sums, std::int64_t n) {
  T* part = shared_memory<T>();  // one per thread
  const std::int64_t i =
      2 * std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  T sum = i < n ? x[i] : T{0};
  if (i + blockDim.x < n) sum += x[i + blockDim.x];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned width = blockDim.x; width > 1;) {
    const unsigned half = (width + 1) / 2;
    if (threadIdx.x + half < width)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
    width = half;
  }

  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

}  // namespace

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 3,
        .idea = "partial sums live in shared memory; x is only read",
        .tunables = {block_size()},
    },
    []<typename T>(Gpu& gpu, const VectorSum::Args<T>& p,
                   const Tunables& tunables) {
      const auto block = tunables["block"];
      T* to = gpu.scratch<T>(ceil_div(p.n, 2 * block));
      T* next = gpu.scratch<T>(ceil_div(p.n, 4 * block * block));
      const T* from = p.x;
      for (std::int64_t left = p.n;;) {
        const auto blocks = ceil_div(left, 2 * block);
        gpu.launch({.grid = {blocks},
                    .block = {block},
                    .shared_bytes = block * sizeof(T)},
                   vector_sum_shared<T>, from, blocks == 1 ? p.sum : to, left);
        if (blocks == 1) break;
        from = to;
        std::swap(to, next);
        left = blocks;
      }
    });
