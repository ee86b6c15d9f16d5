// A launch takes several steps, and the grid is read and written once for all
// of them. A block copies its tile with a halo as wide as there are steps. With
// each step the correct region shrinks by one point on each side, until just
// the tile is left: several blocks compute the same halo points and need
// nothing from each other. Two copies in shared memory take turns.
#include "steps.cuh"

namespace {

struct TileExtents {
  int rows, cols;
};

// Extents of the block's region: the tile, and `steps` more on each side.
template <typename T>
__global__ void __launch_bounds__(512)
    heat_temporal(const T* a, T* b, std::int64_t rows, std::int64_t cols,
                  TileExtents tile, int steps) {
  const int width = tile.cols + 2 * steps, height = tile.rows + 2 * steps;
  T* from = shared_memory<T>();
  T* to = from + width * height;
  const std::int64_t col0 = std::int64_t{blockIdx.x} * tile.cols - steps;
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * tile.rows - steps;
       row0 + steps < rows; row0 += std::int64_t{gridDim.y} * tile.rows) {
    // Only the part of the region that is inside the grid.
    const int top = static_cast<int>(max(std::int64_t{0}, -row0));
    const int left = static_cast<int>(max(std::int64_t{0}, -col0));
    const int bottom = static_cast<int>(min(std::int64_t{height}, rows - row0));
    const int right = static_cast<int>(min(std::int64_t{width}, cols - col0));
    for (int y = top + threadIdx.y; y < bottom; y += blockDim.y) {
      for (int x = left + threadIdx.x; x < right; x += blockDim.x)
        from[y * width + x] = a[(row0 + y) * cols + col0 + x];
    }

    for (int step = 1; step <= steps; ++step) {
      __syncthreads();
      const int y1 = min(bottom, height - step), x1 = min(right, width - step);
      for (int y = max(top, step) + threadIdx.y; y < y1; y += blockDim.y) {
        const bool between = row0 + y > 0 && row0 + y < rows - 1;
        for (int x = max(left, step) + threadIdx.x; x < x1; x += blockDim.x) {
          const T* at = from + y * width + x;
          const bool inside = between && col0 + x > 0 && col0 + x < cols - 1;
          const T point =
              inside ? stepped(at[0], at[-width], at[width], at[-1], at[1])
                     : at[0];
          if (step < steps) {
            to[y * width + x] = point;
          } else {
            b[(row0 + y) * cols + col0 + x] = point;
          }
        }
      }
      T* const other = from;
      from = to;
      to = other;
    }
    __syncthreads();  // before the next tile overwrites this one
  }
}

}  // namespace

const Register<Heat, float, double> variant(
    {
        .rung = 3,
        .idea = "several steps per launch on a tile with a wide halo in shared "
                "memory",
        .tunables = {{.name = "tile_x", .fallback = 64, .min = 1, .max = 128},
                     {.name = "tile_y", .fallback = 32, .min = 1, .max = 64},
                     depth_of_launch(4)},
    },
    []<typename T>(Gpu& gpu, const Heat::Args<T>& p, const Tunables& tunables) {
      const auto x = tunables["tile_x"], y = tunables["tile_y"];
      in_launches(gpu, p, tunables["depth"],
                  [&](const T* from, T* to, std::int64_t steps) {
                    const auto points = (x + 2 * steps) * (y + 2 * steps);
                    gpu.launch(
                        {.grid = {ceil_div(p.cols, x), blocks_in_y(p.rows, y)},
                         .block = {32, 16},
                         .shared_bytes =
                             2 * static_cast<std::size_t>(points) * sizeof(T)},
                        heat_temporal<T>, from, to, p.rows, p.cols,
                        TileExtents{static_cast<int>(y), static_cast<int>(x)},
                        static_cast<int>(steps));
                  });
    });
