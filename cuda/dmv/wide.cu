// Four rows per warp, 16 bytes per load. A load of a warp fetches 512 bytes,
// and a lane has eight of them under way before it needs the first: enough to
// keep the memory busy. Each part of x is loaded once for four rows.
//
// Rows whose length is not a multiple of 16 bytes start at different places
// inside a 16-byte word. Rows that lie as many rows apart as a word has
// elements (4 floats, 2 doubles) start at the same place. A warp takes such
// rows, so that one division into head, words and tail fits all four.
#include <type_traits>

#include "gpu/gpu.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

namespace {

template <typename T>
using Word = std::conditional_t<std::is_same_v<T, float>, float4, double2>;
template <typename T>
constexpr int word_size = 16 / sizeof(T);  // elements in a 16-byte word

__device__ float dot(float4 a, const float* x) {
  return a.x * x[0] + a.y * x[1] + a.z * x[2] + a.w * x[3];
}
__device__ double dot(double2 a, const double* x) {
  return a.x * x[0] + a.y * x[1];
}

constexpr int warp_rows = 4;  // rows a warp takes at a time
// words of each row that a lane loads before it uses them
constexpr int unroll = 2;

template <typename T>
__global__ void dmv_wide(const T* a, const T* x, T* y, std::int64_t rows,
                         std::int64_t cols) {
  constexpr int n = word_size<T>;
  const std::int64_t warp =
      (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;

  // n warps share n * warp_rows rows: warp w of them takes
  // rows w, w + n, w + 2n, ...
  const std::int64_t first = warp / n * (n * warp_rows) + warp % n;
  if (first >= rows) return;

  const T* row[warp_rows];
  T sum[warp_rows];
  _Pragma("unroll")
  for (int r = 0; r < warp_rows; ++r) {
    // not past the end
    row[r] = a + min(first + r * n, first + (rows - 1 - first) / n * n) * cols;
    sum[r] = 0;
  }

  // Elements before the first whole word of a row, whole words, and
  // the elements after them.
  const std::int64_t past =
      reinterpret_cast<std::uintptr_t>(row[0]) / sizeof(T) % n;
  const std::int64_t head = min((n - past) % n, cols);
  const std::int64_t words = (cols - head) / n;
  const std::int64_t tail = head + words * n;
  for (std::int64_t col = lane; col < head; col += 32) {
    for (int r = 0; r < warp_rows; ++r)
      sum[r] += row[r][col] * x[col];
  }

  for (std::int64_t col = tail + lane; col < cols; col += 32) {
    for (int r = 0; r < warp_rows; ++r)
      sum[r] += row[r][col] * x[col];
  }

  std::int64_t word = lane;
  for (; word + 32 * (unroll - 1) < words; word += 32 * unroll) {
    Word<T> loaded[unroll][warp_rows];
    _Pragma("unroll")
    for (int u = 0; u < unroll; ++u) {
      _Pragma("unroll")
      for (int r = 0; r < warp_rows; ++r) {
        loaded[u][r] =
            reinterpret_cast<const Word<T>*>(row[r] + head)[word + 32 * u];
      }
    }
    _Pragma("unroll")
    for (int u = 0; u < unroll; ++u) {
      T part[n];
      _Pragma("unroll")
      for (int i = 0; i < n; ++i)
        part[i] = x[head + (word + 32 * u) * n + i];
      _Pragma("unroll")
      for (int r = 0; r < warp_rows; ++r)
        sum[r] += dot(loaded[u][r], part);
    }
  }

  for (; word < words; word += 32) {
    for (int r = 0; r < warp_rows; ++r) {
      sum[r] += dot(reinterpret_cast<const Word<T>*>(row[r] + head)[word],
                    x + head + word * n);
    }
  }

  _Pragma("unroll")
  for (int r = 0; r < warp_rows; ++r) {
    for (int offset = 16; offset > 0; offset /= 2) {
      sum[r] += __shfl_xor_sync(0xffffffff, sum[r], offset);
    }
    if (lane == 0 && first + r * n < rows) y[first + r * n] = sum[r];
  }
}

}  // namespace

const Register<Dmv, float, double> variant(
    {
        .rung = 6,
        .id = 6,
        .idea =
            "four rows per warp, eight 16-byte loads under way in every lane",
        .tunables = {block_size(256, 32)},
    },
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      const auto warps =
          ceil_div(p.rows, warp_rows * word_size<T>) * word_size<T>;
      gpu.launch({.grid = {ceil_div(warps, block / 32)}, .block = {block}},
                 dmv_wide<T>, p.a, p.x, p.y, p.rows, p.cols);
    });
