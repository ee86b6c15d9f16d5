// The same on an image with `radius` columns of zeros left and right: no pixel
// is outside, no test is needed, no warp diverges. The padded image is another
// layout of the input, so padding it is not timed. The image between the passes
// gets `radius` rows of zeros above and below; clearing these is part of each
// execution, so it is timed.
#include "gpu/cache_policy.hpp"
#include "gpu/gpu.hpp"
#include "workloads/convsep.hpp"

using namespace parlab;

namespace {

// b(row, col) = sum of w[k] from(row, col + k step), 0 <= k < taps. Rows of
// `from` are `pitch` elements apart.
template <typename T, LoadPolicy l, StorePolicy s>
__global__ void convsep_padded(const T* from, const T* w, T* b,
                               std::int64_t rows, std::int64_t cols,
                               std::int64_t pitch, std::int64_t step,
                               int taps) {
  const std::int64_t col = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (col >= cols) return;

  for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       row < rows; row += std::int64_t{gridDim.y} * blockDim.y) {
    const T* pixel = from + row * pitch + col;
    T sum = 0;
    for (int k = 0; k < taps; ++k, pixel += step)
      sum += load<l>(w + k) * load<l>(pixel);
    store<s>(b + row * cols + col, sum);
  }
}

}  // namespace

const Register<Convsep, float, double> variant(
    {
        .rung = 1,
        .idea = "as global on a padded image, without tests at the border",
        .tunables = {{.name = "block_x", .fallback = 16, .min = 1, .max = 128},
                     {.name = "block_y", .fallback = 16, .min = 1, .max = 32},
                     load_policy(),
                     store_policy()},
        .inputs = {"a_padded", "w"},
    },
    []<typename T>(Gpu& gpu, const Convsep::Args<T>& p,
                   const Tunables& tunables) {
      const auto x = tunables["block_x"], y = tunables["block_y"];
      const LaunchConfig config{
          .grid = {ceil_div(p.cols, x), blocks_in_y(p.rows, y)},
          .block = {x, y}};
      // zeros above, and as many below
      const std::int64_t edge = p.radius * p.cols;
      T* between = gpu.scratch<T>(p.rows * p.cols + 2 * edge);
      gpu.clear(between, static_cast<std::size_t>(edge) * sizeof(T));
      gpu.clear(between + edge + p.rows * p.cols,
                static_cast<std::size_t>(edge) * sizeof(T));
      with_policies(tunables, [&]<LoadPolicy l, StorePolicy s>() {
        gpu.launch(config, convsep_padded<T, l, s>, p.a_padded, p.w,
                   between + edge, p.rows, p.cols, p.cols + 2 * p.radius, 1,
                   2 * p.radius + 1);
        gpu.launch(config, convsep_padded<T, l, s>, between, p.w, p.b, p.rows,
                   p.cols, p.cols, p.cols, 2 * p.radius + 1);
      });
    });
