// Double beyond the rate of doubles: a tensor core makes 30 times as many
// products of bytes as of doubles. Rows of A and columns of B are scaled and
// rounded to whole numbers of some 51 bits. 13 products of bytes, modulo small
// numbers, determine the product of these exactly; it is put together and
// rounded to double once. residues.cuh says why and when that is as accurate as
// sums of doubles. If elements of a row or a column differ too much in size,
// the device takes the products of doubles of `tensor`; the kernels of the
// other way return at once.
//
// Splitting costs the same for every k, and short sums are more accurate: if k
// is less than least_k, or m or n less than a quarter of it, `tensor` is taken.
#include "gpu/store_whole.hpp"
#include "residue_products.cuh"
#include "tensor.cuh"

using namespace parlab;

namespace {

// See residue_products.cuh.
struct PlainProduct {
  double* c;
  std::int64_t m, n;
  const Line *rows, *cols;
  int down, across;  // pairs of tiles

  __host__ __device__ int pairs() const { return down * across; }
  __device__ __forceinline__ void place(int pair, int& row, int& col) const {
    int pair_row;
    place_of_tile<8>(pair, down, across, pair_row, col);
    row = 2 * pair_row;
  }
  __device__ __forceinline__ void store(std::int64_t row, std::int64_t col,
                                        double left, double right) const {
    if (row >= m || col >= n) return;
    const double back = rows[row].back;
    double* const to = c + row * n + col;
    left *= back * cols[col].back;
    if (n % 2 == 0) {
      store_whole(to, double2{left, right * (back * cols[col + 1].back)});
    } else {
      to[0] = left;
      if (col + 1 < n) to[1] = right * (back * cols[col + 1].back);
    }
  }
};

// The products of doubles, if they are needed.
using PlainTile = Tiling<LargeTile>;
template <int WIDTH>
__global__ void __launch_bounds__(PlainTile::threads, PlainTile::blocks_per_sm)
    matmul_tensor_where_uneven(Matmul::Args<double> p,
                               const std::uint32_t* uneven) {
  wait_for_launch_before();
  if (*uneven != 0) multiply_by_block<WIDTH, false, PlainTile>(p, p.k, p.n, {});
}

void multiply_where_uneven(Gpu& gpu, const Matmul::Args<double>& p,
                           const std::uint32_t* uneven) {
  const Division<PlainTile> division(p.m, p.n);
  const bool aligned = p.k % 2 == 0 && p.n % 2 == 0;
  gpu.launch(
      {.grid = {division.below + division.right + division.tiles()},
       .block = {PlainTile::threads},
       .shared_bytes = PlainTile::shared_bytes,
       .overlaps = true},
      aligned ? matmul_tensor_where_uneven<2> : matmul_tensor_where_uneven<1>,
      p, uneven);
}

void multiply_residues(Gpu& gpu, const Matmul::Args<double>& p) {
  refuse_without_warpgroups();
  const ResidueSystem& system = residue_system();
  const ResidueScratch scratch(gpu, p.m, p.n, p.k);
  gpu.clear(scratch.uneven, sizeof *scratch.uneven);
  split_rows(gpu, p.a, p.m, p.k, system, scratch);
  split_columns(gpu, p.b, p.k, p.n, p.n, system, scratch);
  launch_residue_products(
      gpu,
      PlainProduct{
          .c = p.c,
          .m = p.m,
          .n = p.n,
          .rows = scratch.rows,
          .cols = scratch.cols,
          .down = static_cast<int>(ceil_div(p.m, 2 * ResidueTile::rows)),
          .across = static_cast<int>(ceil_div(p.n, ResidueTile::cols))},
      system, scratch, p.k);
  multiply_where_uneven(gpu, p, scratch.uneven);
}

}  // namespace

const Register<Matmul, double> variant(
    {.rung = 19,
     .idea = "doubles as residues modulo 13 small numbers, products of bytes "
             "on the tensor cores",
     .tunables = {{"least_k", least_products_for_residues, sampled,
                   most_byte_products - 1}},
     .arithmetic = Arithmetic::residues,
     .units = {{Dtype::f64, "tensor int8"}}},
    [](Gpu& gpu, const Matmul::Args<double>& p, const Tunables& tunables) {
      const std::int64_t least = tunables["least_k"];
      if (p.k >= least && p.k < most_byte_products &&
          std::min(p.m, p.n) >= least / 4) {
        multiply_residues(gpu, p);
      } else {
        multiply(gpu, p, plan_tensor(gpu, p));
      }
    });
