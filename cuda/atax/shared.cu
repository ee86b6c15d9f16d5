// The report's kernel as it was meant: neighbouring threads read neighbouring
// elements in both products, and the vector (x or t) lies in shared memory, one
// piece as long as the block at a time. A row of the row-major matrix therefore
// needs a warp, whose lanes add up their sums at the end, instead of a thread.
// There are two kernels because the second product needs all of t: a single
// kernel would read elements that other blocks have not written yet.
#include <algorithm>

#include "gpu/gpu.hpp"
#include "workloads/atax.hpp"

using namespace parlab;

namespace {

// One row per 32 threads, or per block if that has fewer. Dynamic shared
// memory: blockDim.x elements.
template <typename T>
__global__ void atax_shared_rows(const T* a, const T* x, T* t,
                                 std::int64_t rows, std::int64_t cols) {
  T* const piece = shared_memory<T>();
  const int threads = blockDim.x, lanes = min(threads, 32),
            lane = threadIdx.x % lanes;
  const std::int64_t row =
      std::int64_t{blockIdx.x} * (threads / lanes) + threadIdx.x / lanes;
  T sum = 0;
  for (std::int64_t first = 0; first < cols; first += threads) {
    const int count =
        static_cast<int>(min(std::int64_t{threads}, cols - first));
    if (static_cast<int>(threadIdx.x) < count)
      piece[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();

    // No early return: threads past the last row still load their element
    // and meet the barriers.
    if (row < rows) {
      const T* const from = a + row * cols + first;
      for (int i = lane; i < count; i += lanes)
        sum += from[i] * piece[i];
    }
    __syncthreads();  // before the next piece overwrites this one
  }

  for (int offset = lanes / 2; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu >> (32 - lanes), sum, offset);
  }

  if (row < rows && lane == 0) t[row] = sum;
}

template <typename T>
__global__ void atax_shared_columns(const T* a, const T* t, T* y,
                                    std::int64_t rows, std::int64_t cols) {
  T* const piece = shared_memory<T>();
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  T sum = 0;
  for (std::int64_t first = 0; first < rows; first += blockDim.x) {
    const int count =
        static_cast<int>(min(std::int64_t{blockDim.x}, rows - first));
    if (static_cast<int>(threadIdx.x) < count)
      piece[threadIdx.x] = t[first + threadIdx.x];
    __syncthreads();
    if (col < cols) {
      for (int i = 0; i < count; ++i)
        sum += a[(first + i) * cols + col] * piece[i];
    }
    __syncthreads();
  }

  if (col < cols) y[col] = sum;
}

}  // namespace

const Register<Atax, float, double> variant(
    {
        .rung = 2,
        .idea = "one warp per row, then one thread per column, all reads "
                "coalesced; x and t in "
                "shared memory",
        .tunables = {{.name = "block",
                      .fallback = 256,
                      .min = 16,
                      .max = 1024,
                      .power_of_two = true}},
    },
    []<typename T>(Gpu& gpu, const Atax::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      const auto rows_per_block = std::max<std::int64_t>(block / 32, 1);
      const auto shared = block * sizeof(T);
      T* const t = gpu.scratch<T>(p.rows);
      gpu.launch({.grid = {ceil_div(p.rows, rows_per_block)},
                  .block = {block},
                  .shared_bytes = shared},
                 atax_shared_rows<T>, p.a, p.x, t, p.rows, p.cols);
      gpu.launch({.grid = {ceil_div(p.cols, block)},
                  .block = {block},
                  .shared_bytes = shared},
                 atax_shared_columns<T>, p.a, t, p.y, p.rows, p.cols);
    });
