// The march with 16 bytes per read. A lane has a word of neighbouring points (4
// floats, 2 doubles) and computes all of them. It does not read the points
// beside its word: the lanes left and right have them and pass them by
// shuffles. Only the first and the last lane of a warp read one point from
// outside. One read and one write of 16 bytes serve a word; march needs three
// reads per point.
//
// Rows whose length is no multiple of 16 bytes start at different places inside
// a 16-byte word. For these, words have 8 bytes or a single point.
#include <algorithm>

#include "gpu/gpu.hpp"
#include "workloads/conv2d.hpp"

using namespace parlab;

namespace {

template <typename T, int n>
struct alignas(n * sizeof(T)) Word {
  T at[n];
};

constexpr unsigned all_lanes = 0xffffffffu;

// points[1..n]: the word of this lane; points[0] and [n + 1]: the neighbours
// left and right. Points outside the image are 0. All lanes of the warp must
// call it.
template <typename T, int n>
__device__ void read_row(const T* row, std::int64_t col, std::int64_t cols,
                         T (&points)[n + 2]) {
  const int lane = threadIdx.x % 32;
  Word<T, n> word{};
  if (col < cols) word = *reinterpret_cast<const Word<T, n>*>(row + col);
  _Pragma("unroll")
  for (int i = 0; i < n; ++i)
    points[i + 1] = word.at[i];
  points[0] = __shfl_up_sync(all_lanes, word.at[n - 1], 1);
  points[n + 1] = __shfl_down_sync(all_lanes, word.at[0], 1);
  if (lane == 0) points[0] = col > 0 ? row[col - 1] : T{0};
  if (lane == 31) points[n + 1] = col + n < cols ? row[col + n] : T{0};
}

template <typename T, int n>
__global__ void conv2d_wide(const T* a, T* b, std::int64_t rows,
                            std::int64_t cols, std::int64_t strip) {
  const std::int64_t thread =
      std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t col = thread * n;
  if ((thread - threadIdx.x % 32) * n >= cols) return;  // the whole warp

  for (std::int64_t top = std::int64_t{blockIdx.y} * strip; top < rows - 2;
       top += std::int64_t{gridDim.y} * strip) {
    const std::int64_t bottom = min(top + strip, rows - 2);
    T window[3][n + 2];
    read_row<T, n>(a + top * cols, col, cols, window[0]);
    read_row<T, n>(a + (top + 1) * cols, col, cols, window[1]);
    // row + 1 of b is computed
    for (std::int64_t row = top; row < bottom; ++row) {
      read_row<T, n>(a + (row + 2) * cols, col, cols, window[2]);
      Word<T, n> sum{};
      _Pragma("unroll")
      for (int i = 0; i < 3; ++i) {
        _Pragma("unroll")
        for (int j = 0; j < 3; ++j) {
          _Pragma("unroll")
          for (int k = 0; k < n; ++k) {
            sum.at[k] += Conv2d::weight<T>(i - 1, j - 1) * window[i][k + j];
          }
        }
      }
      T* out = b + (row + 1) * cols + col;
      if (col > 0 && col + n < cols) {
        *reinterpret_cast<Word<T, n>*>(out) = sum;
      } else {
        // the first and the last word of a row contain a point of the border
        _Pragma("unroll")
        for (int k = 0; k < n; ++k) {
          if (col + k > 0 && col + k < cols - 1) out[k] = sum.at[k];
        }
      }
      _Pragma("unroll")
      for (int j = 0; j < n + 2; ++j) {
        window[0][j] = window[1][j];
        window[1][j] = window[2][j];
      }
    }
  }
}

template <typename T, int n>
void launch_wide(Gpu& gpu, const Conv2d::Args<T>& p, std::int64_t block,
                 std::int64_t strip) {
  const auto strips = std::max<std::int64_t>(blocks_in_y(p.rows - 2, strip), 1);
  gpu.launch({.grid = {ceil_div(p.cols, block * n), strips}, .block = {block}},
             conv2d_wide<T, n>, p.a, p.b, p.rows, p.cols, strip);
}

}  // namespace

const Register<Conv2d, float, double> variant(
    {
        .rung = 4,
        .idea = "as march, with 16-byte reads; neighbours come from adjacent "
                "lanes by shuffles",
        .tunables = {block_size(128, 32),
                     {.name = "strip", .fallback = 16, .min = 1, .max = 4096}},
    },
    []<typename T>(Gpu& gpu, const Conv2d::Args<T>& p,
                   const Tunables& tunables) {
      constexpr int widest = 16 / sizeof(T);
      const auto block = tunables["block"], strip = tunables["strip"];
      if (p.cols % widest == 0) {
        launch_wide<T, widest>(gpu, p, block, strip);
      } else if (p.cols % (widest / 2) == 0) {
        launch_wide<T, widest / 2>(gpu, p, block, strip);
      } else {
        launch_wide<T, 1>(gpu, p, block, strip);
      }
    });
