// Products by warps on the tensor cores, of half, of bfloat16, and of float
// rounded to TF32. A warp multiplies 16 x 16 by 16 x 8 elements (in float 16 x
// 8 by 8 x 8) with one instruction, which takes its operands from registers, a
// few elements in each lane, and adds in float. A block of 8 warps has a tile
// of C of 128 x 128, each warp 64 x 32 of it: each value that a lane reads from
// shared memory serves four products. One instruction replaces 64 or 32 single
// multiply-adds.
//
// Asynchronous copies of 16 bytes bring the tiles into four stages. Matrices
// whose rows are not aligned to 16 bytes are copied first.
#include <cuda_pipeline.h>

#include "aligned.cuh"
#include "gpu/tensor_cores.hpp"
#include "place.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

constexpr int edge = 128, stages = 4,
              // of a tile of C; of shared memory; of a block
    block_threads = 256;
constexpr int warp_rows = 64, warp_cols = 32;
// products side by side
constexpr int down = warp_rows / 16, across = warp_cols / 8;

// The operands of one product in each lane: see tensor_multiply_add().
template <typename T, typename PairOfT>
struct PairOperands {
  using Pair = PairOfT;
  static constexpr int depth = 16;  // columns of A
  Pair a[down][4], b[across][2];

  __device__ __forceinline__ void read(const T* a_tile, int a_stride,
                                       const T* b_tile, int b_stride) {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    _Pragma("unroll")
    for (int r = 0; r < down; ++r) {
      _Pragma("unroll")
      for (int i = 0; i < 4; ++i) {
        const int row = r * 16 + i % 2 * 8 + g, col = i / 2 * 8 + 2 * t;
        a[r][i] = *reinterpret_cast<const Pair*>(a_tile + row * a_stride + col);
      }
    }
    _Pragma("unroll")
    for (int s = 0; s < across; ++s) {
      _Pragma("unroll")
      for (int i = 0; i < 2; ++i) {
        const T* const at = b_tile + (i * 8 + 2 * t) * b_stride + s * 8 + g;
        b[s][i] = Pair(at[0], at[b_stride]);
      }
    }
  }
};

template <typename T>
struct Operands;
template <>
struct Operands<float16> : PairOperands<__half, __half2> {};
template <>
struct Operands<bfloat16> : PairOperands<__nv_bfloat16, __nv_bfloat162> {};

template <>
struct Operands<float> {
  static constexpr int depth = 8;
  float a[down][4], b[across][2];

  __device__ __forceinline__ void read(const float* a_tile, int a_stride,
                                       const float* b_tile, int b_stride) {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    _Pragma("unroll")
    for (int r = 0; r < down; ++r) {
      _Pragma("unroll")
      for (int i = 0; i < 4; ++i) {
        a[r][i] = to_tf32(
            a_tile[(r * 16 + i % 2 * 8 + g) * a_stride + i / 2 * 4 + t]);
      }
    }
    _Pragma("unroll")
    for (int s = 0; s < across; ++s) {
      _Pragma("unroll")
      for (int i = 0; i < 2; ++i) {
        b[s][i] = to_tf32(b_tile[(i * 4 + t) * b_stride + s * 8 + g]);
      }
    }
  }
};

// A stage of shared memory: 64 bytes of each row of A's tile, and as many rows
// of B's. Rows are padded, so that neighbouring lanes read from different
// banks.
template <typename T>
struct Stage {
  // elements that are copied at once
  static constexpr int width = 16 / sizeof(T);
  static constexpr int depth = 4 * width;
  static constexpr int a_stride = depth + width, b_stride = edge + 8;
  alignas(16) device_type<T> a[edge * a_stride];
  alignas(16) device_type<T> b[depth * b_stride];
};

// a_pitch, b_pitch: elements from one row to the next.
template <typename T, typename Element>
__global__ void __launch_bounds__(block_threads)
    matmul_warp_products(const Element* a, std::int64_t a_pitch,
                         const Element* b, std::int64_t b_pitch, float* c,
                         std::int64_t m, std::int64_t k, std::int64_t n) {
  using S = Stage<T>;
  S* const shared = shared_memory<S>();
  std::int64_t tile_row, tile_col;
  place_of_block(ceil_div(m, edge), ceil_div(n, edge), tile_row, tile_col);
  const std::int64_t row0 = tile_row * edge, col0 = tile_col * edge;
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;

  // Places outside A and B are zero in shared memory.
  const auto put = [](Element* to, const Element* from, bool there,
                      const Element* somewhere) {
    __pipeline_memcpy_async(to, there ? from : somewhere, 16, there ? 0 : 16);
  };
  const auto copy = [&](int step) {
    S& stage = shared[step % stages];
    const std::int64_t k0 = std::int64_t{step} * S::depth;
    constexpr int a_across = S::depth / S::width, b_across = edge / S::width;
    _Pragma("unroll")
    for (int i = thread; i < edge * a_across; i += block_threads) {
      const int row = i / a_across, col = i % a_across * S::width;
      put(stage.a + row * S::a_stride + col,
          a + (row0 + row) * a_pitch + k0 + col, row0 + row < m && k0 + col < k,
          a);
    }
    _Pragma("unroll")
    for (int i = thread; i < S::depth * b_across; i += block_threads) {
      const int row = i / b_across, col = i % b_across * S::width;
      put(stage.b + row * S::b_stride + col,
          b + (k0 + row) * b_pitch + col0 + col, k0 + row < k && col0 + col < n,
          b);
    }
  };

  const int warp_row = warp % 2 * warp_rows, warp_col = warp / 2 * warp_cols;
  float sum[down][across][4] = {};
  const auto multiply = [&](const S& stage) {
    _Pragma("unroll")
    for (int i = 0; i < S::depth; i += Operands<T>::depth) {
      Operands<T> operands;
      operands.read(stage.a + warp_row * S::a_stride + i, S::a_stride,
                    stage.b + i * S::b_stride + warp_col, S::b_stride);
      _Pragma("unroll")
      for (int r = 0; r < down; ++r) {
        _Pragma("unroll")
        for (int s = 0; s < across; ++s) {
          tensor_multiply_add(sum[r][s], operands.a[r], operands.b[s]);
        }
      }
    }
  };

  const auto steps = static_cast<int>(ceil_div(k, S::depth));
  for (int step = 0; step < stages - 1; ++step) {
    if (step < steps) copy(step);
    __pipeline_commit();
  }

  for (int step = 0; step < steps; ++step) {
    // The stage has arrived for all threads, and all have read the one
    // before.
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    if (step + stages - 1 < steps) copy(step + stages - 1);
    __pipeline_commit();
    multiply(shared[step % stages]);
  }

  _Pragma("unroll")
  for (int r = 0; r < 2 * down; ++r) {
    const std::int64_t row = row0 + warp_row + r * 8 + lane / 4;
    if (row >= m) continue;
    _Pragma("unroll")
    for (int s = 0; s < across; ++s) {
      store_pair(c + row * n, col0 + warp_col + s * 8 + lane % 4 * 2, n,
                 sum[r / 2][s][r % 2 * 2], sum[r / 2][s][r % 2 * 2 + 1]);
    }
  }
}

}  // namespace

const Register<Matmul, float16, bfloat16, float> variant(
    {.rung = 9,
     .idea = "products by warps on the tensor cores, tiles of 128 x 128",
     .arithmetic = Arithmetic::tf32,
     .units = {{Dtype::f16, "tensor half"},
               {Dtype::bf16, "tensor bfloat16"},
               {Dtype::f32, "tensor tf32"}}},
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      using Element = device_type<T>;
      const auto [a, b] = align_operands(gpu, p);
      const auto pitch = [](const AlignedMatrix& matrix) {
        return matrix.pitch / static_cast<std::int64_t>(sizeof(T));
      };
      gpu.launch({.grid = {ceil_div(p.m, edge) * ceil_div(p.n, edge)},
                  .block = {block_threads},
                  .shared_bytes = stages * sizeof(Stage<T>)},
                 matmul_warp_products<T, Element>,
                 static_cast<const Element*>(a.data), pitch(a),
                 static_cast<const Element*>(b.data), pitch(b), p.c, p.m, p.k,
                 p.n);
    });
