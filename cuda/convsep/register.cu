// Register blocking along the filter. A thread computes `mine` consecutive
// pixels in the direction of the filter. They share most of their inputs: the
// thread keeps a window of as many pixels in registers, and with each weight it
// reads one new pixel from shared memory for `mine` products instead of for
// one.
//
// Along a row the threads of a warp begin `mine` words apart. Since that is an
// odd number, they use 32 different banks of shared memory. The sums go back to
// shared memory, so that the warp writes whole lines of global memory.
#include "gpu/gpu.hpp"
#include "workloads/convsep.hpp"

using namespace parlab;

namespace {

// pixels per thread; threads side by side in a block
constexpr int mine = 7, across = 32;

__constant__ float convsep_register_float[Convsep::max_taps];
__constant__ double convsep_register_double[Convsep::max_taps];

__device__ float convsep_register_weight(float, int k) {
  return convsep_register_float[k];
}
__device__ double convsep_register_weight(double, int k) {
  return convsep_register_double[k];
}

// sums[j] = sum of weight k times the pixel k + j, `step`
// apart from each other.
template <typename T>
__device__ void convsep_window(const T* pixels, int step, int radius,
                               T (&sums)[mine]) {
  T window[mine];
  _Pragma("unroll")
  for (int j = 0; j < mine; ++j) {
    window[j] = pixels[j * step];
    sums[j] = 0;
  }

  pixels += mine * step;
  _Pragma("unroll 7")
  for (int k = 0; k <= 2 * radius; ++k, pixels += step) {
    const T weight = convsep_register_weight(T{}, k);
    _Pragma("unroll")
    for (int j = 0; j < mine; ++j)
      sums[j] += weight * window[j];
    if (k == 2 * radius) break;
    _Pragma("unroll")
    for (int j = 0; j < mine - 1; ++j)
      window[j] = window[j + 1];
    window[mine - 1] = *pixels;
  }
}

// A block: blockDim.y rows, across * mine pixels of each.
template <typename T>
__global__ void convsep_register_rows(const T* a, T* between, std::int64_t rows,
                                      std::int64_t cols, int radius) {
  constexpr int w = across * mine;
  // of this thread's row
  T* line = shared_memory<T>() + threadIdx.y * (w + 2 * radius);
  const std::int64_t col0 = std::int64_t{blockIdx.x} * w;
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * blockDim.y; row0 < rows;
       row0 += std::int64_t{gridDim.y} * blockDim.y) {
    const std::int64_t row = row0 + threadIdx.y;
    for (int x = threadIdx.x; x < w + 2 * radius; x += across) {
      const std::int64_t col = col0 + x - radius;
      line[x] =
          row < rows && col >= 0 && col < cols ? a[row * cols + col] : T{0};
    }
    __syncwarp();  // a warp has a row to itself
    T sums[mine];
    convsep_window(line + threadIdx.x * mine, 1, radius, sums);
    __syncwarp();
    _Pragma("unroll")
    for (int j = 0; j < mine; ++j)
      line[threadIdx.x * mine + j] = sums[j];
    __syncwarp();
    for (int x = threadIdx.x; x < w; x += across) {
      if (row < rows && col0 + x < cols)
        between[row * cols + col0 + x] = line[x];
    }
    __syncwarp();
  }
}

// A block: `across` columns, blockDim.y * mine rows.
template <typename T>
__global__ void convsep_register_cols(const T* between, T* b, std::int64_t rows,
                                      std::int64_t cols, int radius) {
  T* tile = shared_memory<T>();
  const int h = blockDim.y * mine;
  const std::int64_t col = std::int64_t{blockIdx.x} * across + threadIdx.x;
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * h; row0 < rows;
       row0 += std::int64_t{gridDim.y} * h) {
    for (int y = threadIdx.y; y < h + 2 * radius; y += blockDim.y) {
      const std::int64_t row = row0 + y - radius;
      const bool inside = row >= 0 && row < rows && col < cols;
      tile[y * across + threadIdx.x] =
          inside ? between[row * cols + col] : T{0};
    }
    __syncthreads();
    const int y = threadIdx.y * mine;
    T sums[mine];
    convsep_window(tile + y * across + threadIdx.x, across, radius, sums);
    _Pragma("unroll")
    for (int j = 0; j < mine; ++j) {
      if (row0 + y + j < rows && col < cols)
        b[(row0 + y + j) * cols + col] = sums[j];
    }
    __syncthreads();  // before the next tile overwrites this one
  }
}

}  // namespace

const Register<Convsep, float, double> variant(
    {
        .rung = 4,
        .idea = "seven pixels per thread along the filter, a window of them in "
                "registers",
        .tunables = {{.name = "block_y", .fallback = 8, .min = 1, .max = 32}},
    },
    []<typename T>(Gpu& gpu, const Convsep::Args<T>& p,
                   const Tunables& tunables) {
      const auto y = tunables["block_y"], apron = std::int64_t{2} * p.radius;
      const auto config = [&](std::int64_t w, std::int64_t h,
                              std::int64_t elements) {
        return LaunchConfig{
            .grid = {ceil_div(p.cols, w), blocks_in_y(p.rows, h)},
            .block = {across, y},
            .shared_bytes = static_cast<std::size_t>(elements) * sizeof(T)};
      };
      if constexpr (std::is_same_v<T, float>) {
        gpu.copy_to_constant(convsep_register_float, p.w, 2 * p.radius + 1);
      } else {
        gpu.copy_to_constant(convsep_register_double, p.w, 2 * p.radius + 1);
      }
      T* between = gpu.scratch<T>(p.rows * p.cols);
      gpu.launch(config(across * mine, y, (across * mine + apron) * y),
                 convsep_register_rows<T>, p.a, between, p.rows, p.cols,
                 p.radius);
      gpu.launch(config(across, y * mine, across * (y * mine + apron)),
                 convsep_register_cols<T>, between, p.b, p.rows, p.cols,
                 p.radius);
    });
