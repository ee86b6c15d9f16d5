// The weights in constant memory. All threads of a warp use the same weight at
// a time, which the constant cache serves at once. The load units are left to
// the pixels: one pixel per product instead of two operands. A copy of 2 radius
// + 1 numbers precedes the kernels.
#include "gpu/gpu.hpp"
#include "workloads/convsep.hpp"

using namespace parlab;

namespace {

__constant__ float convsep_constant_float[Convsep::max_taps];
__constant__ double convsep_constant_double[Convsep::max_taps];

__device__ float convsep_constant_weight(float, int k) {
  return convsep_constant_float[k];
}
__device__ double convsep_constant_weight(double, int k) {
  return convsep_constant_double[k];
}

template <typename T>
__global__ void convsep_constant_rows(const T* a, T* between, std::int64_t rows,
                                      std::int64_t cols, int radius) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= cols) return;

  for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       row < rows; row += std::int64_t{gridDim.y} * blockDim.y) {
    T sum = 0;
    for (int k = -radius; k <= radius; ++k) {
      if (col + k >= 0 && col + k < cols) {
        sum +=
            convsep_constant_weight(T{}, k + radius) * a[row * cols + col + k];
      }
    }
    between[row * cols + col] = sum;
  }
}

template <typename T>
__global__ void convsep_constant_cols(const T* between, T* b, std::int64_t rows,
                                      std::int64_t cols, int radius) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= cols) return;

  for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       row < rows; row += std::int64_t{gridDim.y} * blockDim.y) {
    T sum = 0;
    for (int k = -radius; k <= radius; ++k) {
      if (row + k >= 0 && row + k < rows) {
        sum += convsep_constant_weight(T{}, k + radius) *
               between[(row + k) * cols + col];
      }
    }
    b[row * cols + col] = sum;
  }
}

}  // namespace

const Register<Convsep, float, double> variant(
    {
        .rung = 2,
        .idea = "as global, with the weights in constant memory",
        .tunables = {{.name = "block_x", .fallback = 32, .min = 1, .max = 128},
                     {.name = "block_y", .fallback = 8, .min = 1, .max = 32}},
    },
    []<typename T>(Gpu& gpu, const Convsep::Args<T>& p,
                   const Tunables& tunables) {
      const auto x = tunables["block_x"], y = tunables["block_y"];
      const LaunchConfig config{
          .grid = {ceil_div(p.cols, x), blocks_in_y(p.rows, y)},
          .block = {x, y}};
      if constexpr (std::is_same_v<T, float>) {
        gpu.copy_to_constant(convsep_constant_float, p.w, 2 * p.radius + 1);
      } else {
        gpu.copy_to_constant(convsep_constant_double, p.w, 2 * p.radius + 1);
      }
      T* between = gpu.scratch<T>(p.rows * p.cols);
      gpu.launch(config, convsep_constant_rows<T>, p.a, between, p.rows, p.cols,
                 p.radius);
      gpu.launch(config, convsep_constant_cols<T>, between, p.b, p.rows, p.cols,
                 p.radius);
    });
