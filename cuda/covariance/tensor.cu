// The products on the tensor cores, which make twice as many multiply-adds
// of doubles as the other units of an H200, and ask for less shared memory:
// a warp multiplies 16 x 4 by 4 x 8 elements at a time, and each value read
// is used by several lanes. A block computes a tile of 128 x 128, a warp
// 64 x 32 of it, or of 64 x 64 where the larger ones would leave a part of
// the device without work; the work is shared out as in `balanced`. Only in
// double: in float the tensor cores would round the operands.
#include "balanced.cuh"
#include "gpu/tensor_cores.hpp"

using namespace parlab;

namespace {

// What balanced.cuh and CovarianceCopies want to know of a
// tile: see CovarianceTile.
template <int SIZE>
struct TensorTile {
  static constexpr int size = SIZE;
  static constexpr int warps_down = 2, warp_rows = size / warps_down,
                       warp_cols = 32;
  // of a thread
  static constexpr int rows = warp_rows / 8, cols = warp_cols / 4;
  static constexpr int deep = 16, stages = 4;
  static constexpr int threads = size * size / (rows * cols);
  static constexpr int blocks_per_sm = size == 128 ? 1 : 2;
  static constexpr int vector = 2;

  // 4 more: the 4 rows a warp reads together lie in different
  // banks of shared memory.
  static constexpr int pair = 2 * size + 4;
  static constexpr int shared_bytes = stages * deep * pair * sizeof(double);

  static constexpr std::int64_t count(std::int64_t n) {
    return Covariance::packed_count(ceil_div(n, size));
  }

  static constexpr Covariance::Place place(std::int64_t tile, std::int64_t n) {
    return Covariance::packed_place(tile, ceil_div(n, size));
  }

  // In each 16 x 16 of a warp's part a thread has rows 2 g and 2 g + 1,
  // where an instruction says g and g + 8; and columns 4 t to 4 t + 3, the
  // even ones of a first instruction, the odd ones of a second. So operands
  // are read, and results written, 16 bytes at a time.
  __device__ static int warp_row(int thread) {
    return thread / 32 % warps_down * warp_rows;
  }
  __device__ static int warp_col(int thread) {
    return thread / 32 / warps_down * warp_cols;
  }
  __device__ static int first_row(int thread) {
    return warp_row(thread) + thread % 32 / 4 * 2;
  }
  __device__ static int first_col(int thread) {
    return warp_col(thread) + thread % 4 * 4;
  }
  __device__ static constexpr int further_row(int r) {
    return r / 2 * 16 + r % 2;
  }
  __device__ static constexpr int further_col(int s) {
    return s / 4 * 16 + s % 4;
  }
};

// As in tile.cuh, with 4 rows at a time in place of one.
template <int SIZE, typename S = TensorTile<SIZE>>
__device__ void multiply_tile(TensorTile<SIZE>,
                              const double* rows,
                              int i0,
                              int j0,
                              std::int64_t stride,
                              int steps,
                              double* shared,
                              double (&sum)[S::rows][S::cols]) {
  using Vector = CovarianceVector<double>;
  constexpr int down = S::rows / 2, across = S::cols / 4;  // of 16 x 16
  constexpr int slices = S::deep / 4, stage = S::deep * S::pair;
  double* const end = shared + S::stages * stage;
  CovarianceCopies<double, S> copies(rows, i0, j0, stride, shared);
  static_assert(copies.at_once == 4, "the rows of a slice are copied together");

  Vector left[2][down], right[2][across];  // of a slice, and of the next one
  const int thread = threadIdx.x,
            place = thread % 4 * S::pair + thread % 32 / 4 * 2;
  const int row = place + S::warp_row(thread),
            col = place + S::size + S::warp_col(thread);
  const auto read = [&](int set, const double* from) {
    _Pragma("unroll")
    for (int v = 0; v < down; ++v)
      left[set][v] = *reinterpret_cast<const Vector*>(from + row + v * 16);
    _Pragma("unroll")
    for (int v = 0; v < across; ++v)
      right[set][v] = *reinterpret_cast<const Vector*>(from + col + v * 16);
  };

  _Pragma("unroll")
  for (int step = 0; step < S::stages - 1; ++step) {
    _Pragma("unroll")
    for (int k = 0; k < slices; ++k) {
      if (step < steps) copies.next_rows();
    }
    __pipeline_commit();
  }

  __pipeline_wait_prior(S::stages - 2);
  __syncthreads();
  const double* from = shared;
  read(0, from);
  _Pragma("unroll 1")
  for (int step = 0; step < steps; ++step) {
    const bool more = step + S::stages - 1 < steps;
    _Pragma("unroll")
    for (int k = 0; k < slices; ++k) {
      if (more) copies.next_rows();
      if (k == slices - 1) {
        // The next stage has arrived, for all threads; and none reads
        // this one any more, which
        // is the one that is filled next.
        __pipeline_commit();
        __pipeline_wait_prior(S::stages - 2);
        __syncthreads();
        from = from + stage == end ? shared : from + stage;
      }
      if (k < slices - 1 || step + 1 < steps) {
        read((k + 1) % 2, from + (k + 1) % slices * 4 * S::pair);
      }
      _Pragma("unroll")
      for (int r = 0; r < S::rows; r += 2) {
        _Pragma("unroll")
        for (int s = 0; s < S::cols; s += s % 4 == 0 ? 1 : 3) {
          double part[4] = {sum[r][s], sum[r][s + 2], sum[r + 1][s],
                            sum[r + 1][s + 2]};
          const double factor[1] = {right[k % 2][s / 4].element[s % 2]};
          tensor_multiply_add<4>(part, left[k % 2][r / 2].element, factor);
          sum[r][s] = part[0], sum[r][s + 2] = part[1];
          sum[r + 1][s] = part[2], sum[r + 1][s + 2] = part[3];
        }
      }
    }
    if (copies.to >= end) copies.to -= S::stages * stage;
  }
}

}  // namespace

const Register<Covariance, double> variant(
    {
        .rung = 7,
        .idea = "the same with the products of doubles on the tensor cores, "
                "tiles up to 128 x 128",
        .units = {{Dtype::f64, "tensor double"}},
    },
    []<typename T>(Gpu& gpu, const Covariance::Args<T>& p, const Tunables&) {
      if (balanced_blocks<TensorTile<128>>(p) >= gpu.multiprocessors()) {
        launch_balanced<TensorTile<128>>(gpu, p);
      } else {
        launch_balanced<TensorTile<64>>(gpu, p);
      }
    });
