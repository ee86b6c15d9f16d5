// The product of doubles as residues modulo small numbers: products of bytes on
// the tensor cores, as in matmul's `residues`, which says when they are as
// accurate as doubles. If they are not, the device takes the kernel of
// `register`; short sums are left to `tensor`.
//
// Left and right factor are one matrix: its columns are split once. The kernel
// computes only the pairs of tiles, 256 x 256, that reach the upper triangle,
// and stores each element below it as a mirror image.
#include "../matmul/residue_products.cuh"
#include "tensor.cuh"
#include "tile.cuh"

using namespace parlab;

namespace {

// See residue_products.cuh. Pairs are numbered row after row in groups of eight
// columns, so that pairs which run at once share their inputs.
struct SymmetricProduct {
  double* cov;
  std::int64_t n;
  double divisor;
  const Line* lines;
  int across;  // pairs

  __host__ __device__ int pairs() const { return across * (across + 1) / 2; }
  // The number of pairs in that many groups.
  static __device__ int before(int groups) {
    return 4 * groups * (8 * groups + 1);
  }

  __device__ __forceinline__ void place(int pair, int& row, int& col) const {
    auto group = static_cast<int>(sqrtf(static_cast<float>(pair) / 32));
    while (before(group) > pair)
      --group;  // corrects rounding
    while (before(group + 1) <= pair)
      ++group;
    const int first = 8 * group, width = min(8, across - first);
    int i = pair - before(group);
    if (i < first * width) {
      row = i / width;
      col = first + i % width;
    } else {  // in the triangle
      i -= first * width;
      row = 0;
      for (; i >= width - row; ++row)
        i -= width - row;
      col = first + row + i;
      row += first;
    }
    row *= 2;
  }

  __device__ __forceinline__ void store(std::int64_t row, std::int64_t col,
                                        double left, double right) const {
    store_both(row, col, left);
    store_both(row, col + 1, right);
  }
  __device__ __forceinline__ void store_both(std::int64_t row, std::int64_t col,
                                             double sum) const {
    if (row > col || col >= n) return;
    const double element = sum * lines[row].back * lines[col].back / divisor;
    cov[row * n + col] = element;
    cov[col * n + row] = element;
  }
};

using PlainTile = CovarianceTile<double>;

// The same as covariance_register: see there.
__global__ void __launch_bounds__(PlainTile::threads, PlainTile::blocks_per_sm)
    covariance_where_uneven(const double* centred, double* cov, int steps,
                            std::int64_t n, std::int64_t stride, double divisor,
                            const std::uint32_t* uneven) {
  using S = PlainTile;
  wait_for_launch_before();
  if (*uneven == 0) return;
  const auto place = S::place(blockIdx.x, n);
  const int i0 = static_cast<int>(place.row * S::size),
            j0 = static_cast<int>(place.col * S::size);
  double sum[S::rows][S::cols] = {};
  multiply_tile(S{}, centred, i0, j0, stride, steps, shared_memory<double>(),
                sum);
  store_tile<double, S>(cov, i0, j0, n, divisor, sum);
}

}  // namespace

const Register<Covariance, double> variant(
    {.rung = 10,
     .idea = "doubles as residues modulo 13 small numbers, products of bytes "
             "on the tensor cores",
     .tunables = {{"least_m", least_products_for_residues, sampled,
                   most_byte_products - 1}},
     .arithmetic = Arithmetic::residues,
     .units = {{Dtype::f64, "tensor int8"}}},
    [](Gpu& gpu, const Covariance::Args<double>& p, const Tunables& tunables) {
      const std::int64_t least = tunables["least_m"];
      if (p.m < least || p.m >= most_byte_products || p.n < least / 4)
        return plan_tensor(gpu, p).launch(gpu, p);

      refuse_without_warpgroups();
      const auto stride = ceil_div(p.n, PlainTile::size) * PlainTile::size,
                 steps = ceil_div(p.m, PlainTile::deep);
      const double* const centred =
          centred_copy(gpu, p, steps * PlainTile::deep, stride);
      const ResidueSystem& system = residue_system();
      const ResidueScratch scratch(gpu, 0, p.n, p.m);
      gpu.clear(scratch.uneven, sizeof *scratch.uneven);
      split_columns(gpu, centred, p.m, p.n, stride, system, scratch);
      launch_residue_products(
          gpu,
          SymmetricProduct{
              .cov = p.cov,
              .n = p.n,
              .divisor = p.divisor,
              .lines = scratch.cols,
              .across = static_cast<int>(ceil_div(p.n, ResidueTile::cols))},
          system, scratch, p.m);
      gpu.launch({.grid = {PlainTile::count(p.n)},
                  .block = {PlainTile::threads},
                  .shared_bytes = PlainTile::shared_bytes,
                  .overlaps = true},
                 covariance_where_uneven, centred, p.cov,
                 static_cast<int>(steps), p.n, stride, p.divisor,
                 scratch.uneven);
    });
