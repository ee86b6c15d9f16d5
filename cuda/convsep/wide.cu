// Register blocking with 16 bytes per read and per write, in global and in
// shared memory: a word is 4 floats or 2 doubles. A thread computes four rows
// of one word.
//
// Row pass: a warp has four rows of 32 words to itself, and each word that a
// thread reads from shared memory serves all pixels of its own word. Column
// pass: the words of four rows are a window in registers; with each weight the
// thread reads one word from shared memory, which serves all sixteen sums.
//
// In the row pass the filter is padded with zeros so that it begins and ends
// with whole words. Rows that are not aligned in global memory are read and
// written element by element.
#include "gpu/gpu.hpp"
#include "gpu/store_whole.hpp"
#include "workloads/convsep.hpp"

using namespace parlab;

namespace {

constexpr int across = 32, mine = 4;  // threads side by side; rows of a thread
constexpr int most_weights = Convsep::max_taps + 2 * 3;

template <typename T>
struct alignas(16) WideWord {
  static constexpr int size = 16 / sizeof(T);
  T at[size];
};

__constant__ float convsep_wide_float[most_weights];
__constant__ double convsep_wide_double[most_weights];

__device__ float convsep_wide_weight(float, int k) {
  return convsep_wide_float[k];
}
__device__ double convsep_wide_weight(double, int k) {
  return convsep_wide_double[k];
}

// Elements [col, col + size) of a row; 0 outside the image.
template <bool ALIGNED, typename T>
__device__ WideWord<T> convsep_wide_read(const T* row, std::int64_t col,
                                         std::int64_t cols) {
  WideWord<T> word{};
  if (ALIGNED) {
    if (col >= 0 && col < cols)
      word = *reinterpret_cast<const WideWord<T>*>(row + col);
  } else {
    _Pragma("unroll")
    for (int e = 0; e < WideWord<T>::size; ++e) {
      if (col + e >= 0 && col + e < cols) word.at[e] = row[col + e];
    }
  }

  return word;
}

template <bool ALIGNED, typename T>
__device__ void convsep_wide_write(T* row, std::int64_t col, std::int64_t cols,
                                   const WideWord<T>& word) {
  if (ALIGNED) {
    if (col < cols) store_whole(row + col, word);
  } else {
    _Pragma("unroll")
    for (int e = 0; e < WideWord<T>::size; ++e) {
      if (col + e < cols) row[col + e] = word.at[e];
    }
  }
}

// apron: words that the filter reaches on either side of a word.
template <bool ALIGNED, typename T>
__global__ void convsep_wide_rows(const T* a, T* between, std::int64_t rows,
                                  std::int64_t cols, int apron) {
  constexpr int size = WideWord<T>::size;
  const int width = across + 2 * apron;
  // of this warp
  WideWord<T>* lines =
      shared_memory<WideWord<T>>() + threadIdx.y * (mine * width);
  const std::int64_t word0 = std::int64_t{blockIdx.x} * across;
  for (std::int64_t row0 =
           (std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y) * mine;
       row0 < rows; row0 += std::int64_t{gridDim.y} * blockDim.y * mine) {
    _Pragma("unroll")
    for (int y = 0; y < mine; ++y) {
      for (int x = threadIdx.x; x < width && row0 + y < rows; x += across) {
        lines[y * width + x] = convsep_wide_read<ALIGNED>(
            a + (row0 + y) * cols, (word0 + x - apron) * size, cols);
      }
    }
    __syncwarp();
    WideWord<T> sums[mine] = {};
    for (int i = 0; i <= 2 * apron; ++i) {
      T weights[2 * size - 1];
      _Pragma("unroll")
      for (int k = 0; k < 2 * size - 1; ++k)
        weights[k] = convsep_wide_weight(T{}, i * size + k);
      _Pragma("unroll")
      for (int y = 0; y < mine; ++y) {
        if (row0 + y >= rows) continue;
        const WideWord<T> word = lines[y * width + threadIdx.x + i];
        _Pragma("unroll")
        for (int e = 0; e < size; ++e) {
          _Pragma("unroll")
          for (int j = 0; j < size; ++j)
            sums[y].at[j] += weights[size - 1 + e - j] * word.at[e];
        }
      }
    }
    _Pragma("unroll")
    for (int y = 0; y < mine; ++y) {
      if (row0 + y >= rows) continue;
      convsep_wide_write<ALIGNED>(between + (row0 + y) * cols,
                                  (word0 + threadIdx.x) * size, cols, sums[y]);
    }
    __syncwarp();  // before the next rows overwrite these
  }
}

// first: where the filter begins in constant memory.
template <bool ALIGNED, typename T>
__global__ void convsep_wide_cols(const T* between, T* b, std::int64_t rows,
                                  std::int64_t cols, int radius, int first) {
  constexpr int size = WideWord<T>::size;
  WideWord<T>* tile = shared_memory<WideWord<T>>();
  const int h = blockDim.y * mine;
  const std::int64_t col =
      (std::int64_t{blockIdx.x} * across + threadIdx.x) * size;
  for (std::int64_t row0 = std::int64_t{blockIdx.y} * h; row0 < rows;
       row0 += std::int64_t{gridDim.y} * h) {
    for (int y = threadIdx.y; y < h + 2 * radius; y += blockDim.y) {
      const std::int64_t row = row0 + y - radius;
      tile[y * across + threadIdx.x] =
          row >= 0 && row < rows
              ? convsep_wide_read<ALIGNED>(between + row * cols, col, cols)
              : WideWord<T>{};
    }
    __syncthreads();
    const WideWord<T>* next = tile + threadIdx.y * mine * across + threadIdx.x;
    WideWord<T> sums[mine] = {}, window[mine];
    _Pragma("unroll")
    for (int y = 1; y < mine; ++y, next += across)
      window[y] = *next;
    _Pragma("unroll 4")
    for (int k = 0; k <= 2 * radius; ++k, next += across) {
      _Pragma("unroll")
      for (int y = 0; y < mine - 1; ++y)
        window[y] = window[y + 1];
      window[mine - 1] = *next;
      const T weight = convsep_wide_weight(T{}, first + k);
      _Pragma("unroll")
      for (int y = 0; y < mine; ++y) {
        _Pragma("unroll")
        for (int e = 0; e < size; ++e)
          sums[y].at[e] += weight * window[y].at[e];
      }
    }
    _Pragma("unroll")
    for (int y = 0; y < mine; ++y) {
      const std::int64_t row = row0 + threadIdx.y * mine + y;
      if (row < rows)
        convsep_wide_write<ALIGNED>(b + row * cols, col, cols, sums[y]);
    }
    __syncthreads();  // before the next tile overwrites this one
  }
}

template <bool ALIGNED, typename T>
void launch_wide(Gpu& gpu, const Convsep::Args<T>& p, std::int64_t block_y) {
  constexpr int size = WideWord<T>::size;
  const int apron = (p.radius + size - 1) / size;
  const auto config = [&](std::int64_t words) {
    const auto rows = blocks_in_y(p.rows, block_y * mine);
    return LaunchConfig{.grid = {ceil_div(p.cols, across * size), rows},
                        .block = {across, block_y},
                        .shared_bytes = static_cast<std::size_t>(words) * 16};
  };

  // Zeros before and after, as many as there are places where a filter may
  // begin in a word.
  const int weights = 2 * apron * size + 2 * size - 1,
            first = size - 1 + apron * size - p.radius;
  T* filled = gpu.scratch<T>(weights);
  gpu.clear(filled, static_cast<std::size_t>(weights) * sizeof(T));
  gpu.copy(filled + first, p.w,
           static_cast<std::size_t>(2 * p.radius + 1) * sizeof(T));
  if constexpr (std::is_same_v<T, float>) {
    gpu.copy_to_constant(convsep_wide_float, filled, weights);
  } else {
    gpu.copy_to_constant(convsep_wide_double, filled, weights);
  }

  T* between = gpu.scratch<T>(p.rows * p.cols);
  gpu.launch(config(block_y * mine * (across + 2 * apron)),
             convsep_wide_rows<ALIGNED, T>, p.a, between, p.rows, p.cols,
             apron);
  gpu.launch(config((block_y * mine + 2 * p.radius) * across),
             convsep_wide_cols<ALIGNED, T>, between, p.b, p.rows, p.cols,
             p.radius, first);
}

}  // namespace

const Register<Convsep, float, double> variant(
    {
        .rung = 5,
        .idea = "four rows of a 16-byte word per thread, each word read serves "
                "sixteen sums",
        .tunables = {{.name = "block_y", .fallback = 16, .min = 1, .max = 32}},
    },
    []<typename T>(Gpu& gpu, const Convsep::Args<T>& p,
                   const Tunables& tunables) {
      if (p.cols % WideWord<T>::size == 0) {
        launch_wide<true>(gpu, p, tunables["block_y"]);
      } else {
        launch_wide<false>(gpu, p, tunables["block_y"]);
      }
    });
