// The naive kernel on the transposed matrix. The grid and a thread's work are
// the same: the part of one row inside a square of block x block elements,
// added to y with an atomic. In the transposed matrix, however, the elements
// that neighbouring threads read in one step are neighbours too: a warp reads
// whole sectors and uses all of them.
#include "gpu/gpu.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

namespace {

// a_transposed: cols x rows.
template <typename T>
__global__ void dmv_coalesced(const T* a_transposed, const T* x, T* y,
                              std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;

  // A block takes several strips if the grid is too small: see blocks_in_y().
  for (std::int64_t strip = blockIdx.y; strip * blockDim.x < cols;
       strip += gridDim.y) {
    const std::int64_t first = strip * blockDim.x;
    const std::int64_t last = min(first + blockDim.x, cols);
    T sum = 0;
    for (std::int64_t col = first; col < last; ++col) {
      sum += a_transposed[col * rows + row] * x[col];
    }
    atomicAdd(&y[row], sum);
  }
}

}  // namespace

const Register<Dmv, float, double> variant(
    {
        .rung = 3,
        .id = 1,
        .idea = "naive on the transposed matrix: neighbouring threads read "
                "neighbouring elements",
        .tunables = {block_size()},
        .inputs = {"a_transposed", "x"},
    },
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      const auto strips = blocks_in_y(p.cols, block);
      gpu.clear(p.y, p.rows * sizeof(T));
      gpu.launch({.grid = {ceil_div(p.rows, block), strips}, .block = {block}},
                 dmv_coalesced<T>, p.a_transposed, p.x, p.y, p.rows, p.cols);
    });
