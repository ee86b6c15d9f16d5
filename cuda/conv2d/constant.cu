// The naive kernel with its weights in constant memory, as one writes it if
// they are unknown before the program runs. All threads of a warp read the same
// weight at a time, which the constant cache serves at once. Compared with
// constants in the code it cannot win anything, and it loses little.
#include "gpu/gpu.hpp"
#include "workloads/conv2d.hpp"

using namespace parlab;

namespace {

template <typename T>
struct Weights {
  T at[3][3];
};
template <typename T>
constexpr Weights<T> all_weights() {
  Weights<T> weights{};
  for (int down = -1; down <= 1; ++down) {
    for (int across = -1; across <= 1; ++across) {
      weights.at[down + 1][across + 1] = Conv2d::weight<T>(down, across);
    }
  }

  return weights;
}

// Not const: the compiler must not put the values into the code after all.
__constant__ Weights<float> conv2d_weights_float = all_weights<float>();
__constant__ Weights<double> conv2d_weights_double = all_weights<double>();

__device__ float weight_of(float, int row, int col) {
  return conv2d_weights_float.at[row][col];
}
__device__ double weight_of(double, int row, int col) {
  return conv2d_weights_double.at[row][col];
}

template <typename T>
__global__ void conv2d_constant(const T* a, T* b, std::int64_t rows,
                                std::int64_t cols) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col == 0 || col >= cols - 1) return;

  for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       row < rows - 1; row += std::int64_t{gridDim.y} * blockDim.y) {
    if (row == 0) continue;
    const T* corner = a + (row - 1) * cols + col - 1;
    T sum = 0;
    _Pragma("unroll")
    for (int i = 0; i < 3; ++i) {
      _Pragma("unroll")
      for (int j = 0; j < 3; ++j)
        sum += weight_of(T{}, i, j) * corner[i * cols + j];
    }
    b[row * cols + col] = sum;
  }
}

}  // namespace

const Register<Conv2d, float, double> variant(
    {
        .rung = 1,
        .idea = "as naive, with the weights in constant memory",
        .tunables = {{.name = "block_x", .fallback = 32, .min = 1, .max = 128},
                     {.name = "block_y", .fallback = 8, .min = 1, .max = 32}},
    },
    []<typename T>(Gpu& gpu, const Conv2d::Args<T>& p,
                   const Tunables& tunables) {
      const auto x = tunables["block_x"], y = tunables["block_y"];
      const auto rows = blocks_in_y(p.rows, y);
      gpu.launch({.grid = {ceil_div(p.cols, x), rows}, .block = {x, y}},
                 conv2d_constant<T>, p.a, p.b, p.rows, p.cols);
    });
