// One launch takes all steps. As many blocks as the device holds at once march
// down their strips, up to eight steps at a time, and meet at a barrier of the
// grid where other variants begin a new launch. A barrier costs less than a
// launch, which matters on small grids: their steps take as long as a launch.
#include <cooperative_groups.h>

#include "march.cuh"

namespace {

// Takes up to `depth` of the steps left, rounded down to a power of two.
template <int depth, bool aligned, typename T>
__device__ int march_once(const T* from, T* to, Extents extents,
                          std::int64_t height, std::int64_t left) {
  if constexpr (depth > 1) {
    if (left < depth)
      return march_once<depth / 2, aligned>(from, to, extents, height, left);
  }
  march<depth, aligned>(from, to, extents, height);
  return depth;
}

// other: receives every second march, so that the last one writes to b.
template <int depth, bool aligned, typename T>
__global__ void __launch_bounds__(march_block)
    heat_persistent(const T* a, T* b, T* other, Extents extents,
                    std::int64_t height, std::int64_t steps) {
  const auto grid = cooperative_groups::this_grid();
  const T* from = a;
  std::int64_t marches =
      steps / depth + __popc(static_cast<unsigned>(steps % depth));
  for (std::int64_t left = steps; left > 0; --marches) {
    T* const to = marches % 2 == 1 ? b : other;
    left -= march_once<depth, aligned>(from, to, extents, height, left);
    from = to;
    if (left > 0) grid.sync();
  }
}

template <int depth, bool aligned, typename T>
void launch_persistent(Gpu& gpu, const Heat::Args<T>& p, std::int64_t most,
                       std::int64_t strip) {
  if constexpr (depth > 1) {
    if (most < depth || p.steps < depth)
      return launch_persistent<depth / 2, aligned>(gpu, p, most, strip);
  }
  const auto kernel = heat_persistent<depth, aligned, T>;
  const std::int64_t wave =
      gpu.multiprocessors() *
      gpu.resident_blocks(kernel, static_cast<int>(march_block));
  const auto height = strip_height<T, depth>(p, strip, wave * march_block / 32);
  const auto strips =
      ceil_div(p.cols, Strip<T, depth>::written) * ceil_div(p.rows, height);
  gpu.launch({.grid = {std::min(wave, ceil_div(strips, march_block / 32))},
              .block = {march_block},
              .cooperative = true},
             kernel, p.a, p.b,
             p.steps > 1 ? gpu.scratch<T>(p.rows * p.cols) : nullptr,
             Extents{p.rows, p.cols}, height, p.steps);
}

}  // namespace

const Register<Heat, float, double> variant(
    {
        .rung = 5,
        .idea = "all steps in one launch, with barriers of the grid between "
                "the marches",
        // strip: its rows; 0: one wave of warps
        .tunables = {depth_of_launch(8), rows_of_strip()},
    },
    []<typename T>(Gpu& gpu, const Heat::Args<T>& p, const Tunables& tunables) {
      const auto run = has_aligned_rows(p) ? launch_persistent<8, true, T>
                                           : launch_persistent<8, false, T>;
      run(gpu, p, tunables["depth"], tunables["strip"]);
    });
