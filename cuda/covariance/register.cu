// Register blocking, on one triangle. A block computes a tile of the result; a
// thread computes 8 columns of its left piece times 8 of its right piece (see
// tile.cuh). Only tiles that touch the upper triangle are computed; they are
// stored twice as in `mirror`.
#include "tile.cuh"

using namespace parlab;

namespace {

// centred: rows x stride, multiples of deep and of the tile's size, rows > 0.
template <typename T, typename S = CovarianceTile<T>>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm)
    covariance_register(const T* centred, T* cov, int steps, std::int64_t n,
                        std::int64_t stride, T divisor) {
  const auto place = S::place(blockIdx.x, n);
  const int i0 = static_cast<int>(place.row * S::size),
            j0 = static_cast<int>(place.col * S::size);
  T sum[S::rows][S::cols] = {};
  multiply_tile(S{}, centred, i0, j0, stride, steps, shared_memory<T>(), sum);

  const int row = i0 + S::first_row(threadIdx.x),
            col = j0 + S::first_col(threadIdx.x);
  _Pragma("unroll")
  for (int r = 0; r < S::rows; r += S::vector) {
    _Pragma("unroll")
    for (int s = 0; s < S::cols; s += S::vector) {
      store_square<T, S::vector>(
          cov, row + S::further_row(r), col + S::further_col(s), n,
          [&](int y, int x) { return sum[r + y][s + x] / divisor; });
    }
  }
}

}  // namespace

const Register<Covariance, float, double> variant(
    {
        .rung = 5,
        .id = 4,
        .idea = "a thread keeps 8 x 8 elements in registers; copies run ahead; "
                "one triangle, mirrored",
    },
    []<typename T>(Gpu& gpu, const Covariance::Args<T>& p, const Tunables&) {
      using S = CovarianceTile<T>;
      const auto stride = ceil_div(p.n, S::size) * S::size,
                 steps = ceil_div(p.m, S::deep);
      const T* const centred = centred_copy(gpu, p, steps * S::deep, stride);
      gpu.launch({.grid = {S::count(p.n)},
                  .block = {S::threads},
                  .shared_bytes = S::shared_bytes},
                 covariance_register<T>, centred, p.cov,
                 static_cast<int>(steps), p.n, stride, p.divisor);
    });
