// Products of doubles on the tensor cores: a warp multiplies 16 x 4 by 4 x 8 elements at a time, at
// twice the rate of the other units of an H200, and each value read from shared memory is used by
// several lanes. A block computes a tile of C of 128 x 128, or of 128 x 64 where those would leave
// a part of the device without work. Only in double: in float the tensor cores would round A and B.
#include <cuda_pipeline.h>

#include "gpu/tensor_cores.hpp"
#include "place.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// rows x cols: of C, a block and a warp.
template <int BLOCK_COLS, int WARP_ROWS>
struct MatmulTensorTile {
  static constexpr int rows = 128, cols = BLOCK_COLS;
  static constexpr int warp_rows = WARP_ROWS, warp_cols = 32;
  static constexpr int warps_down = rows / warp_rows;
  static constexpr int threads = 32 * warps_down * (cols / warp_cols);
  static constexpr int depth = 16, stages = 4;  // columns of A in a stage of shared memory
  // Padded, so that what neighbouring lanes read lies in different banks.
  static constexpr int a_stride = depth + 4, b_stride = cols + 4;
  static constexpr int b_begin = rows * a_stride, stage = b_begin + depth * b_stride;
  static constexpr int shared_bytes = stages * stage * sizeof(double);
};

struct alignas(16) MatmulTensorPair {
  double element[2];
};

// WIDTH: elements copied at once, of rows of A and of B; 2 where all rows are aligned to 16 bytes.
// What lies outside of A and B is zero in shared memory.
template <int WIDTH, typename S>
__global__ void __launch_bounds__(S::threads, 1)
    matmul_tensor(const double* a, const double* b, double* c, std::int64_t m, std::int64_t k,
                  std::int64_t n) {
  using Pair = MatmulTensorPair;
  double* const shared = shared_memory<double>();
  const int thread = threadIdx.x, warp = thread / 32, g = thread % 32 / 4, t = thread % 4;
  std::int64_t tile_row, tile_col;
  place_of_block((m + S::rows - 1) / S::rows, (n + S::cols - 1) / S::cols, tile_row, tile_col);
  const std::int64_t row0 = tile_row * S::rows, col0 = tile_col * S::cols;

  // ---- copies into shared memory: this thread's first element of each tile, then more in steps.
  constexpr int a_across = S::depth / WIDTH, b_across = S::cols / WIDTH;
  constexpr int a_step = S::threads / a_across, b_step = S::threads / b_across;
  const int a_row = thread / a_across, a_col = thread % a_across * WIDTH;
  const int b_row = thread / b_across, b_col = thread % b_across * WIDTH;
  const double* next_a = a + (row0 + a_row) * k + a_col;
  const double* next_b = b + b_row * n + col0 + b_col;
  const auto put = [](double* to, const double* from, bool there, const double* somewhere) {
    __pipeline_memcpy_async(to, there ? from : somewhere, WIDTH * sizeof(double),
                            there ? 0 : WIDTH * sizeof(double));
  };
  std::int64_t left = k;  // columns of A, rows of B, that are not copied yet
  const auto copy = [&](double* stage) {
    _Pragma("unroll")
    for (int r = 0; r < S::rows; r += a_step) {
      put(stage + (a_row + r) * S::a_stride + a_col, next_a + r * k,
          a_col < left && row0 + a_row + r < m, a);
    }
    _Pragma("unroll")
    for (int i = 0; i < S::depth; i += b_step) {
      put(stage + S::b_begin + (b_row + i) * S::b_stride + b_col, next_b + i * n,
          b_row + i < left && col0 + b_col < n, b);
    }
    next_a += S::depth;
    next_b += S::depth * n;
    left -= S::depth;
  };

  // ---- products of 4 columns of A with 4 rows of B. Of B a lane reads two columns at once, for
  // products that compute every second column of C.
  constexpr int down = S::warp_rows / 16, across = S::warp_cols / 16;
  const int warp_row = warp % S::warps_down * S::warp_rows;
  const int warp_col = warp / S::warps_down * S::warp_cols;
  const int a_at = (warp_row + g) * S::a_stride + t;
  const int b_at = S::b_begin + t * S::b_stride + warp_col + 2 * g;
  double a_part[2][down][2];  // of these, and of the next ones
  Pair b_part[2][across];
  const auto read = [&](int set, const double* stage, int first) {
    _Pragma("unroll")
    for (int r = 0; r < 2 * down; ++r) {
      a_part[set][r / 2][r % 2] = stage[a_at + first + r * 8 * S::a_stride];
    }
    _Pragma("unroll")
    for (int s = 0; s < across; ++s) {
      b_part[set][s] = *reinterpret_cast<const Pair*>(stage + b_at + first * S::b_stride + s * 16);
    }
  };
  double sum[down][across][2][4] = {};
  const auto multiply = [&](int set) {
    _Pragma("unroll")
    for (int r = 0; r < down; ++r) {
      _Pragma("unroll")
      for (int s = 0; s < 2 * across; ++s) {
        tensor_multiply_add(sum[r][s / 2][s % 2], a_part[set][r],
                            b_part[set][s / 2].element[s % 2]);
      }
    }
  };

  // ---- the walk along k
  const auto steps = static_cast<int>((k + S::depth - 1) / S::depth);
  _Pragma("unroll")
  for (int step = 0; step < S::stages - 1; ++step) {
    if (step < steps) copy(shared + step * S::stage);
    __pipeline_commit();
  }
  __pipeline_wait_prior(S::stages - 2);
  __syncthreads();
  double* const end = shared + S::stages * S::stage;
  const double* from = shared;
  double* to = shared + (S::stages - 1) * S::stage;
  read(0, from, 0);
  _Pragma("unroll 1")
  for (int step = 0; step < steps; ++step) {
    constexpr int slices = S::depth / 4;
    _Pragma("unroll")
    for (int i = 0; i < slices; ++i) {
      if (i == slices - 1) {
        // The next stage has arrived, for everybody; and nobody reads this one any more, which is
        // the one that is refilled next.
        __pipeline_wait_prior(S::stages - 2);
        __syncthreads();
        from = from + S::stage == end ? shared : from + S::stage;
      }
      if (i < slices - 1 || step + 1 < steps) read((i + 1) % 2, from, (i + 1) % slices * 4);
      if (i == 0) {
        if (step + S::stages - 1 < steps) copy(to);
        __pipeline_commit();
        to = to + S::stage == end ? shared : to + S::stage;
      }
      multiply(i % 2);
    }
  }

  // ---- C: a lane has 4 neighbouring columns of each 16.
  _Pragma("unroll")
  for (int r = 0; r < 2 * down; ++r) {
    const std::int64_t row = row0 + warp_row + r * 8 + g;
    if (row >= m) continue;
    _Pragma("unroll")
    for (int s = 0; s < across; ++s) {
      const std::int64_t col = col0 + warp_col + s * 16 + 4 * t;
      _Pragma("unroll")
      for (int i = 0; i < 4; i += 2) {
        const int element = r % 2 * 2 + i / 2;
        const Pair part = {sum[r / 2][s][0][element], sum[r / 2][s][1][element]};
        double* const at = c + row * n + col + i;
        if (WIDTH == 2 && col + i < n) *reinterpret_cast<Pair*>(at) = part;
        if (WIDTH == 1 && col + i < n) at[0] = part.element[0];
        if (WIDTH == 1 && col + i + 1 < n) at[1] = part.element[1];
      }
    }
  }
}

template <typename S>
std::int64_t tiles(const Matmul::Args<double>& p) {
  return ceil_div(p.m, S::rows) * ceil_div(p.n, S::cols);
}

template <typename S>
void launch_tensor(Gpu& gpu, const Matmul::Args<double>& p) {
  const auto kernel = p.k % 2 == 0 && p.n % 2 == 0 ? matmul_tensor<2, S> : matmul_tensor<1, S>;
  gpu.launch({.grid = {tiles<S>(p)}, .block = {S::threads}, .shared_bytes = S::shared_bytes},
             kernel, p.a, p.b, p.c, p.m, p.k, p.n);
}

}  // namespace

const Register<Matmul, double> variant(
    {
        .rung = 8,
        .idea = "products of doubles on the tensor cores, tiles of 128 x 128 or 128 x 64",
        .units = {{Dtype::f64, "tensor double"}},
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      using Large = MatmulTensorTile<128, 64>;
      using Small = MatmulTensorTile<64, 32>;
      // A block has a multiprocessor for itself: which shape needs less time in whole waves?
      const auto waves = [&](std::int64_t blocks) {
        return ceil_div(blocks, gpu.multiprocessors());
      };
      if (waves(tiles<Large>(p)) * Large::cols <= waves(tiles<Small>(p)) * Small::cols) {
        launch_tensor<Large>(gpu, p);
      } else {
        launch_tensor<Small>(gpu, p);
      }
    });
