// The same 8 x 8 elements per thread, but every access is 16 bytes wide: a
// quarter of the instructions load and store. A thread's elements now come in
// vectors of that size (four floats). The vectors of neighbouring threads
// follow each other, so that a warp reads consecutive words. The rows of the
// transposed tile of A are padded, so that the words that a warp stores at once
// fall into different banks. The vectors of the next tiles are fetched into
// registers while these are multiplied.
#include "gpu/gpu.hpp"
#include "vectors.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// The vector at `from`, of which the first `count` elements exist; the others
// are zero. ALIGNED: all of them exist or none, and `from` is a multiple of 16
// bytes.
template <bool ALIGNED, typename T>
__device__ Vector<T> load_wide(const T* from, std::int64_t count) {
  Vector<T> vector = {};
  if constexpr (ALIGNED) {
    if (count > 0) vector = *reinterpret_cast<const Vector<T>*>(from);
  } else {
    _Pragma("unroll")
    for (int i = 0; i < Vector<T>::size; ++i) {
      if (i < count) vector.element[i] = from[i];
    }
  }

  return vector;
}

// ALIGNED: the rows of all three matrices start at multiples of 16 bytes.
template <bool ALIGNED, typename T>
__global__ void __launch_bounds__(block_threads, sizeof(T) == 4 ? 2 : 1)
    matmul_wide(const T* a, const T* b, T* c, std::int64_t m, std::int64_t k,
                std::int64_t n) {
  constexpr int size = Vector<T>::size,
                vectors = edge * deep / size / block_threads;
  __shared__ __align__(16) T a_tile[deep][edge + 4];
  __shared__ __align__(16) T b_tile[deep][edge];
  const int thread = threadIdx.x, x = thread % across * size,
            y = thread / across * size;
  const std::int64_t col0 = std::int64_t{blockIdx.x} * edge;

  // The first vectors that this thread copies; others follow at these steps.
  constexpr int a_step = block_threads * size / deep,
                b_step = block_threads * size / edge;
  const int a_row = thread * size / deep, a_i = thread * size % deep;
  const int b_i = thread * size / edge, b_col = thread * size % edge;

  // A block takes several tiles if the grid is too small: see blocks_in_y().
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * edge; row0 < m;
       row0 += std::int64_t{gridDim.y} * edge) {
    Vector<T> a_next[vectors], b_next[vectors];
    const T* a_from = a + (row0 + a_row) * k + a_i;
    const T* b_from = b + b_i * n + col0 + b_col;

    // left: columns of A and rows of B not multiplied yet.
    const auto fetch = [&](std::int64_t left) {
      _Pragma("unroll")
      for (int v = 0; v < vectors; ++v) {
        const bool a_there = row0 + a_row + v * a_step < m,
                   b_there = b_i + v * b_step < left;
        a_next[v] = load_wide<ALIGNED>(a_from + v * a_step * k,
                                       a_there ? left - a_i : 0);
        b_next[v] = load_wide<ALIGNED>(b_from + v * b_step * n,
                                       b_there ? n - col0 - b_col : 0);
      }
      a_from += deep;
      b_from += deep * n;
    };
    T sum[per_thread][per_thread] = {};
    fetch(k);
    for (std::int64_t left = k; left > 0; left -= deep) {
      _Pragma("unroll")
      for (int v = 0; v < vectors; ++v) {
        _Pragma("unroll")
        for (int i = 0; i < size; ++i)
          a_tile[a_i + i][a_row + v * a_step] = a_next[v].element[i];
        *reinterpret_cast<Vector<T>*>(&b_tile[b_i + v * b_step][b_col]) =
            b_next[v];
      }
      __syncthreads();
      if (left > deep) fetch(left - deep);
      _Pragma("unroll")
      for (int i = 0; i < deep; ++i)
        multiply_add(a_tile[i], b_tile[i], y, x, sum);
      __syncthreads();  // before the next tiles overwrite these
    }
    store<ALIGNED>(c, m, n, row0 + y, col0 + x, sum);
  }
}

}  // namespace

const Register<Matmul, float, double, int> variant(
    {
        .rung = 5,
        .idea = "16-byte loads and stores everywhere, no bank conflicts in "
                "shared memory",
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      const auto rows = blocks_in_y(p.m, edge);
      constexpr int size = Vector<T>::size;
      const auto kernel = p.k % size == 0 && p.n % size == 0
                              ? matmul_wide<true, T>
                              : matmul_wide<false, T>;
      gpu.launch(
          {.grid = {ceil_div(p.n, edge), rows}, .block = {block_threads}},
          kernel, p.a, p.b, p.c, p.m, p.k, p.n);
    });
