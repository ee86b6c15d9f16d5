// Blocks of registers, on one triangle. A block computes a tile of EDGE x EDGE elements of the
// result, a warp 32 x 64 of it, a thread 8 x 8: for each step down the columns a thread reads 8 + 8
// elements from shared memory and makes 64 products of them. In double that is as many cycles of
// shared memory as of the multiplying units; with fewer elements a thread the reads would decide.
// - Both operands are pieces of rows of the centred copy, so that 16 bytes at a time go straight
//   from global to shared memory, past the registers, with nothing to transpose.
// - Several pairs of pieces (stages) are under way while one is multiplied; and the registers of a
//   step are read from shared memory while the step before is multiplied.
// - The copy has room for whole tiles, and zeros there: no read needs a test.
// - Tiles are those of the upper triangle, stored twice as in `mirror`. A thread's 8 rows lie in
//   vectors beside those of its neighbours: turned, they are neighbours in memory as well.
#include <cuda_pipeline.h>

#include "centred.cuh"

using namespace parlab;

template <typename T, int EDGE>
struct RegisterTiling {
  static constexpr int edge = EDGE, deep = 8, per_thread = 8, stages = 4;
  static constexpr int threads = edge * edge / (per_thread * per_thread);
  static constexpr int vector = 16 / sizeof(T), vectors = per_thread / vector;
  static constexpr int warp_rows = 32, warp_cols = 64, lanes_down = 4, lanes_across = 8;
  static constexpr int row_step = lanes_down * vector, col_step = lanes_across * vector;
  static constexpr int stage = 2 * deep * edge;  // elements: both pieces
  static constexpr int shared_bytes = stages * stage * sizeof(T);
  static constexpr int blocks_per_sm = edge == 64 ? (sizeof(T) == 8 ? 4 : 8) : 1;
};

template <typename T>
struct alignas(16) RegisterVector {
  T element[16 / sizeof(T)];
};

// centred: rows x stride, multiples of deep and of edge, rows > 0.
template <typename T, int EDGE>
__global__ void __launch_bounds__(RegisterTiling<T, EDGE>::threads,
                                  RegisterTiling<T, EDGE>::blocks_per_sm)
    covariance_register(const T* centred, T* cov, std::int64_t rows, std::int64_t n,
                        std::int64_t stride, T divisor) {
  using S = RegisterTiling<T, EDGE>;
  using Vector = RegisterVector<T>;
  T* const shared = shared_memory<T>();
  const auto place = Covariance::packed_place(blockIdx.x, stride / S::edge);
  const std::int64_t i0 = place.row * S::edge, j0 = place.col * S::edge;
  const int thread = threadIdx.x;

  // Copies: thread t takes vector t of each piece, and more in steps of so many rows.
  constexpr int step_rows = S::threads * S::vector / S::edge;
  static_assert(S::deep % step_rows == 0);
  const int copy_k = thread * S::vector / S::edge, copy_col = thread * S::vector % S::edge;
  const T* from_left = centred + copy_k * stride + i0 + copy_col;
  const T* from_right = centred + copy_k * stride + j0 + copy_col;
  const auto copy = [&](T* stage) {
#pragma unroll
    for (int k = 0; k < S::deep; k += step_rows) {
      T* const to = stage + (copy_k + k) * S::edge + copy_col;
      __pipeline_memcpy_async(to, from_left + k * stride, sizeof(Vector));
      __pipeline_memcpy_async(to + S::deep * S::edge, from_right + k * stride, sizeof(Vector));
    }
    from_left += S::deep * stride;
    from_right += S::deep * stride;
  };

  // Reads: lanes are 4 down and 8 across, in each half of the warp 2 down and 8 across, down first:
  // neighbours in pairs read the same vector, which shared memory then delivers once for both.
  const int warp = thread / 32, lane = thread % 32;
  constexpr int warps_down = S::edge / S::warp_rows;
  const int row = warp % warps_down * S::warp_rows + (lane / 16 * 2 + lane % 2) * S::vector;
  const int col = warp / warps_down * S::warp_cols + lane % 16 / 2 * S::vector;
  Vector left[2][S::vectors], right[2][S::vectors];
  const auto read = [&](int set, const T* stage, int k) {
#pragma unroll
    for (int v = 0; v < S::vectors; ++v) {
      left[set][v] = *reinterpret_cast<const Vector*>(stage + k * S::edge + row + v * S::row_step);
      right[set][v] =
          *reinterpret_cast<const Vector*>(stage + (S::deep + k) * S::edge + col + v * S::col_step);
    }
  };

  T sum[S::per_thread][S::per_thread] = {};
  const int steps = static_cast<int>(rows / S::deep);
#pragma unroll
  for (int step = 0; step < S::stages - 1; ++step) {
    if (step < steps) copy(shared + step * S::stage);
    __pipeline_commit();
  }
  __pipeline_wait_prior(S::stages - 2);
  __syncthreads();
  const T* from = shared;
  T* to = shared + (S::stages - 1) * S::stage;
  T* const end = shared + S::stages * S::stage;
  read(0, from, 0);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < S::deep; ++k) {
      if (k == S::deep - 1) {
        // The next stage has arrived, for all threads; and none reads this one any more, which is
        // the one that is filled next.
        __pipeline_wait_prior(S::stages - 2);
        __syncthreads();
        from = from + S::stage == end ? shared : from + S::stage;
      }
      if (k < S::deep - 1 || step + 1 < steps) read((k + 1) % 2, from, (k + 1) % S::deep);
      if (k == 0) {
        if (step + S::stages - 1 < steps) copy(to);
        __pipeline_commit();
        to = to + S::stage == end ? shared : to + S::stage;
      }
#pragma unroll
      for (int r = 0; r < S::per_thread; ++r) {
#pragma unroll
        for (int s = 0; s < S::per_thread; ++s) {
          sum[r][s] += left[k % 2][r / S::vector].element[r % S::vector] *
                       right[k % 2][s / S::vector].element[s % S::vector];
        }
      }
    }
  }

#pragma unroll
  for (int r = 0; r < S::per_thread; ++r) {
#pragma unroll
    for (int s = 0; s < S::per_thread; ++s) {
      const std::int64_t i = i0 + row + r / S::vector * S::row_step + r % S::vector;
      const std::int64_t j = j0 + col + s / S::vector * S::col_step + s % S::vector;
      // On the diagonal the tile is its own mirror image.
      if (i > j || j >= n) continue;
      const T value = sum[r][s] / divisor;
      cov[i * n + j] = value;
      cov[j * n + i] = value;
    }
  }
}

namespace {

template <int EDGE, typename T>
void launch_register(Gpu& gpu, const Covariance::Args<T>& p) {
  using S = RegisterTiling<T, EDGE>;
  const auto tiles = ceil_div(p.n, S::edge), rows = ceil_div(p.m, S::deep) * S::deep;
  const T* const centred = centred_copy(gpu, p, rows, tiles * S::edge);
  gpu.launch({.grid = {Covariance::packed_count(tiles)},
              .block = {S::threads},
              .shared_bytes = S::shared_bytes},
             covariance_register<T, EDGE>, centred, p.cov, rows, p.n, tiles * S::edge, p.divisor);
}

}  // namespace

const Register<Covariance, float, double> variant(
    {.rung = 5,
     .id = 4,
     .idea = "a thread keeps 8 x 8 elements in registers; copies run ahead; one triangle, mirrored",
     .tunables = {{.name = "tile", .fallback = 64, .min = 64, .max = 128, .power_of_two = true}}},
    []<typename T>(Gpu& gpu, const Covariance::Args<T>& p, const Tunables& tunables) {
      tunables["tile"] == 64 ? launch_register<64>(gpu, p) : launch_register<128>(gpu, p);
    });
