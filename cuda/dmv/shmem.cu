// The coalesced kernel with x in shared memory. All threads of a block multiply
// by the same strip of x: each loads one element of it, and after a barrier all
// read the strip from shared memory. If x stays in the L1 cache anyway, this
// gains nothing and the barrier costs a little.
#include "gpu/gpu.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

namespace {

// a_transposed: cols x rows. Dynamic shared memory: blockDim.x elements.
template <typename T>
__global__ void dmv_shmem(const T* a_transposed, const T* x, T* y,
                          std::int64_t rows, std::int64_t cols) {
  T* x_strip = shared_memory<T>();
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;

  // A block takes several strips if the grid is too small: see blocks_in_y().
  for (std::int64_t strip = blockIdx.y; strip * blockDim.x < cols;
       strip += gridDim.y) {
    const std::int64_t first = strip * blockDim.x;
    const int count =
        static_cast<int>(min(std::int64_t{blockDim.x}, cols - first));
    if (static_cast<int>(threadIdx.x) < count)
      x_strip[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();

    // No early return: a thread past the last row still loads its element
    // and meets the barriers.
    if (row < rows) {
      T sum = 0;
      for (int i = 0; i < count; ++i)
        sum += a_transposed[(first + i) * rows + row] * x_strip[i];
      atomicAdd(&y[row], sum);
    }
    __syncthreads();  // before the next strip overwrites this one
  }
}

}  // namespace

const Register<Dmv, float, double> variant(
    {
        .rung = 4,
        .id = 2,
        .idea = "coalesced, and the strip of x a block needs is read from "
                "shared memory",
        .tunables = {block_size()},
        .inputs = {"a_transposed", "x"},
    },
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      const auto strips = blocks_in_y(p.cols, block);
      gpu.clear(p.y, p.rows * sizeof(T));
      gpu.launch({.grid = {ceil_div(p.rows, block), strips},
                  .block = {block},
                  .shared_bytes = block * sizeof(T)},
                 dmv_shmem<T>, p.a_transposed, p.x, p.y, p.rows, p.cols);
    });
