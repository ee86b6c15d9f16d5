// One thread per row computes t = A x; a second kernel has one per column for y
// = A^T t. In the first, neighbouring threads read addresses a whole row apart:
// a load of a warp touches 32 sectors of memory and uses one element of each.
// In the second they read neighbouring addresses. Both have only as many
// threads as there are rows or columns: too few to keep the memory busy.
#include "gpu/gpu.hpp"
#include "workloads/atax.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void atax_naive_rows(const T* a, const T* x, T* t, std::int64_t rows,
                                std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;

  T sum = 0;
  for (std::int64_t col = 0; col < cols; ++col)
    sum += a[row * cols + col] * x[col];
  t[row] = sum;
}

template <typename T>
__global__ void atax_naive_columns(const T* a, const T* t, T* y,
                                   std::int64_t rows, std::int64_t cols) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= cols) return;

  T sum = 0;
  for (std::int64_t row = 0; row < rows; ++row)
    sum += a[row * cols + col] * t[row];
  y[col] = sum;
}

}  // namespace

const Register<Atax, float, double> variant(
    {
        .rung = 1,
        .id = 0,
        .idea = "one thread per row, then one thread per column; two kernels",
        .tunables = {block_size()},
    },
    []<typename T>(Gpu& gpu, const Atax::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      T* const t = gpu.scratch<T>(p.rows);
      gpu.launch({.grid = {ceil_div(p.rows, block)}, .block = {block}},
                 atax_naive_rows<T>, p.a, p.x, t, p.rows, p.cols);
      gpu.launch({.grid = {ceil_div(p.cols, block)}, .block = {block}},
                 atax_naive_columns<T>, p.a, t, p.y, p.rows, p.cols);
    });
