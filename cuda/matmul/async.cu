// Asynchronous copies: data goes from global to shared memory without passing
// through registers, and no thread waits for it. Shared memory holds several
// stages, each a pair of tiles. While one is multiplied, the copies into the
// others are under way, and a single barrier per step suffices. Copies may be 4
// or 8 bytes wide, so they can transpose the tile of A, element by element.
#include <cuda_pipeline.h>

#include "gpu/gpu.hpp"
#include "vectors.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

constexpr int stages = 4;

template <typename T>
struct Stage {
  // padded: a warp stores 8 k of 4 rows in 32 different banks
  alignas(16) T a[deep][edge + 4];
  alignas(16) T b[deep][edge];
};

// Copies `bytes` bytes, or stores zeros if `there` is false. nowhere: any
// readable address.
template <int bytes>
__device__ void copy_async(void* to, const void* from, const void* nowhere,
                           bool there) {
  __pipeline_memcpy_async(to, there ? from : nowhere, bytes, there ? 0 : bytes);
}

// ALIGNED: the rows of B and C start at multiples of 16 bytes.
template <bool ALIGNED, typename T>
__global__ void __launch_bounds__(block_threads, sizeof(T) == 4 ? 2 : 1)
    matmul_async(const T* a, const T* b, T* c, std::int64_t m, std::int64_t k,
                 std::int64_t n) {
  constexpr int size = Vector<T>::size;
  auto* const stage = shared_memory<Stage<T>>();
  const int thread = threadIdx.x, x = thread % across * size,
            y = thread / across * size;
  const std::int64_t col0 = std::int64_t{blockIdx.x} * edge;

  // The first elements that this thread copies; others follow at these steps.
  constexpr int width = ALIGNED ? size : 1;  // of a copy of elements of B
  constexpr int a_step = block_threads / deep,
                b_step = block_threads * width / edge;
  const int a_row = thread / deep, a_i = thread % deep;
  const int b_i = thread * width / edge, b_col = thread * width % edge;

  // A block takes several tiles if the grid is too small: see blocks_in_y().
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * edge; row0 < m;
       row0 += std::int64_t{gridDim.y} * edge) {
    const T* a_from = a + (row0 + a_row) * k + a_i;
    const T* b_from = b + b_i * n + col0 + b_col;
    int write = 0, read = 0;

    // Starts the copies for one step. left: columns of A and rows of B not
    // copied yet. With none left the group is empty but still counts.
    const auto fetch = [&](std::int64_t left) {
      if (left > 0) {
        _Pragma("unroll")
        for (int r = 0; r < edge; r += a_step) {
          copy_async<sizeof(T)>(&stage[write].a[a_i][a_row + r], a_from + r * k,
                                a, row0 + a_row + r < m && a_i < left);
        }
        _Pragma("unroll")
        for (int i = 0; i < deep; i += b_step) {
          copy_async<width * sizeof(T)>(&stage[write].b[b_i + i][b_col],
                                        b_from + i * n, b,
                                        b_i + i < left && col0 + b_col < n);
        }
        a_from += deep;
        b_from += deep * n;
        write = (write + 1) % stages;
      }
      __pipeline_commit();
    };
    T sum[per_thread][per_thread] = {};
    for (int step = 0; step < stages - 1; ++step)
      fetch(k - step * deep);
    for (std::int64_t left = k; left > 0; left -= deep) {
      // this thread's copies for this step have arrived,
      __pipeline_wait_prior(stages - 2);
      // and those of all threads; all have read the stage to be refilled
      __syncthreads();
      fetch(left - (stages - 1) * deep);
      const auto& from = stage[read];
      read = (read + 1) % stages;
      _Pragma("unroll")
      for (int i = 0; i < deep; ++i)
        multiply_add(from.a[i], from.b[i], y, x, sum);
    }
    __syncthreads();  // before another row of blocks refills the stages
    store<ALIGNED>(c, m, n, row0 + y, col0 + x, sum);
  }
}

}  // namespace

const Register<Matmul, float, double, int> variant(
    {
        .rung = 6,
        .idea = "asynchronous copies into four stages of shared memory, one "
                "barrier per step",
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      const auto rows = blocks_in_y(p.m, edge);
      const auto kernel = p.n % Vector<T>::size == 0 ? matmul_async<true, T>
                                                     : matmul_async<false, T>;
      gpu.launch({.grid = {ceil_div(p.n, edge), rows},
                  .block = {block_threads},
                  .shared_bytes = stages * sizeof(Stage<T>)},
                 kernel, p.a, p.b, p.c, p.m, p.k, p.n);
    });
