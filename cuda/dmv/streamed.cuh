// The kernel of `streamed`; streamed.cu says how it works. The variants for
// several GPUs use it too.
#pragma once

#include <algorithm>
#include <type_traits>

#include "gpu/gpu.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

namespace {

template <typename T>
using Word = std::conditional_t<std::is_same_v<T, float>, float4, double2>;
template <typename T>
constexpr int word_size = 16 / sizeof(T);  // elements in a 16-byte word

__device__ float dot(float4 a, float4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
__device__ double dot(double2 a, double2 b) {
  return a.x * b.x + a.y * b.y;
}

__device__ float4 gather(const float* x) {
  return {x[0], x[1], x[2], x[3]};
}
__device__ double2 gather(const double* x) {
  return {x[0], x[1]};
}

// Adds to sum[] the products with x of some words of a team's rows: `word` and
// every team_threads-th after it, `unroll` in all. whole: none of them lies
// past the end. keep: the words read stay in the L2 cache.
template <bool whole, bool keep, int team_threads, int team_rows, int unroll,
          typename T>
__device__ __forceinline__ void add_words(const T* const (&row)[team_rows],
                                          const T* x, bool x_in_words,
                                          std::int64_t word, std::int64_t words,
                                          T (&sum)[team_rows]) {
  constexpr int n = word_size<T>;
  const auto load = [](const T* from) {
    const auto* const p = reinterpret_cast<const Word<T>*>(from);
    return keep ? __ldg(p) : __ldcs(p);
  };
  Word<T> part_of_a[unroll][team_rows], part_of_x[unroll];
  _Pragma("unroll")
  for (int u = 0; u < unroll; ++u) {
    const std::int64_t at = word + team_threads * u;
    _Pragma("unroll")
    for (int r = 0; r < team_rows; ++r) {
      part_of_a[u][r] = whole || at < words ? load(row[r] + at * n) : Word<T>{};
    }
  }
  _Pragma("unroll")
  for (int u = 0; u < unroll; ++u) {
    const std::int64_t at = word + team_threads * u;
    const T* const from = x + at * n;
    part_of_x[u] = !whole && at >= words ? Word<T>{}
                   : x_in_words ? *reinterpret_cast<const Word<T>*>(from)
                                : gather(from);
  }
  _Pragma("unroll")
  for (int u = 0; u < unroll; ++u) {
    _Pragma("unroll")
    for (int r = 0; r < team_rows; ++r)
      sum[r] += dot(part_of_a[u][r], part_of_x[u]);
  }
}

// Adds to sum[] the products of a team's rows with x. Each row, and x, is given
// by its first whole word; `head` elements lie before that, `after` from it on.
template <bool keep, int team_threads, int team_rows, int unroll, typename T>
__device__ __forceinline__ void add_rows(const T* const (&row)[team_rows],
                                         const T* x, int head,
                                         std::int64_t after, int thread,
                                         T (&sum)[team_rows]) {
  constexpr int n = word_size<T>, at_once = team_threads * unroll;
  const bool x_in_words = reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
  const std::int64_t words = after / n, whole = words / at_once * at_once;
  std::int64_t word = thread;
  for (; word < whole; word += at_once) {
    add_words<true, keep, team_threads, team_rows, unroll>(row, x, x_in_words,
                                                           word, words, sum);
  }

  // The remaining words are loaded at once too, though some threads have none:
  // one load after another would take several times as long. The elements
  // before the first word and after the last, one per thread, are loaded along
  // with them.
  const std::int64_t edge =
      thread < head ? thread - head : words * n + (thread - head);
  T edge_of_a[team_rows], edge_of_x = edge < after ? x[edge] : T{0};
  _Pragma("unroll")
  for (int r = 0; r < team_rows; ++r)
    edge_of_a[r] = edge < after ? row[r][edge] : T{0};
  if (word < words) {
    add_words<false, keep, team_threads, team_rows, unroll>(row, x, x_in_words,
                                                            word, words, sum);
  }
  _Pragma("unroll")
  for (int r = 0; r < team_rows; ++r)
    sum[r] += edge_of_a[r] * edge_of_x;
}

// kept / 256 of all teams leave their rows in the L2 cache. A block: one team
// or several.
template <typename T, int team_warps, int team_rows, int unroll>
__global__ void __launch_bounds__(team_warps > 8 ? 32 * team_warps : 256)
    dmv_streamed(const T* a, const T* x, T* y, std::int64_t rows,
                 std::int64_t cols, int kept) {
  constexpr int n = word_size<T>;
  constexpr int team_threads = 32 * team_warps;
  const int thread = threadIdx.x % team_threads;
  const std::int64_t team =
      (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / team_threads;

  // n teams share n * team_rows rows: team t of them takes
  // rows t, t + n, t + 2n, ...
  const std::int64_t first = team / n * (n * team_rows) + team % n;

  // A team without rows works on the last row, for the barrier
  // below, and stores nothing.
  const std::int64_t from = min(first, rows - 1);

  const T* row[team_rows];
  T sum[team_rows];
  _Pragma("unroll")
  for (int r = 0; r < team_rows; ++r) {
    // not past the end
    row[r] = a + min(from + r * n, from + (rows - 1 - from) / n * n) * cols;
    sum[r] = 0;
  }

  // All of them start at the same place inside a word.
  const auto past = static_cast<int>(reinterpret_cast<std::uintptr_t>(row[0]) /
                                     sizeof(T) % n);
  const int head = static_cast<int>(min(std::int64_t{(n - past) % n}, cols));
  for (const T*& begin : row)
    begin += head;
  if (team * kept % 256 < kept) {
    add_rows<true, team_threads, team_rows, unroll>(row, x + head, head,
                                                    cols - head, thread, sum);
  } else {
    add_rows<false, team_threads, team_rows, unroll>(row, x + head, head,
                                                     cols - head, thread, sum);
  }

  // Shuffles add the sums of a warp; shared memory combines those of a team's
  // warps.
  __shared__ T sum_of_warp[team_rows][32];
  const int warp = threadIdx.x / 32;
  _Pragma("unroll")
  for (int r = 0; r < team_rows; ++r) {
    for (int offset = 16; offset > 0; offset /= 2) {
      sum[r] += __shfl_xor_sync(0xffffffff, sum[r], offset);
    }
    if (threadIdx.x % 32 == 0) sum_of_warp[r][warp] = sum[r];
  }

  if (team_warps == 1) {
    __syncwarp();
  } else {
    __syncthreads();
  }

  const int r = thread;  // the first threads of a team finish a row each
  if (r < team_rows && first + r * n < rows) {
    T total = 0;
    for (int w = 0; w < team_warps; ++w)
      total += sum_of_warp[r][warp / team_warps * team_warps + w];
    y[first + r * n] = total;
  }
}

template <typename T, int team_warps, int team_rows, int unroll>
void launch_streamed(Gpu& gpu, const Dmv::Args<T>& p, double kept_bytes) {
  constexpr std::int64_t block_warps = team_warps > 8 ? team_warps : 8;
  constexpr int n = word_size<T>;
  const auto teams = ceil_div(p.rows, n * team_rows) * n;
  const double share =
      kept_bytes / (static_cast<double>(p.rows) * p.cols * sizeof(T));
  const int kept = static_cast<int>(256 * std::min(share, 1.0));
  gpu.launch({.grid = {ceil_div(teams * team_warps, block_warps)},
              .block = {32 * block_warps}},
             dmv_streamed<T, team_warps, team_rows, unroll>, p.a, p.x, p.y,
             p.rows, p.cols, kept);
}

// The best shapes of some hundreds tried on an H200, in float and double, with
// squares from 1024 to 16384 and other shapes from 64:1 to 1:64. Few long rows
// have large teams, so that every multiprocessor has enough warps. Many short
// ones have small teams, in which each lane has all or many of its words under
// way at once.
template <typename T>
void choose_shape(Gpu& gpu, const Dmv::Args<T>& p) {
  const double cache = gpu.l2_bytes();
  const double matrix = static_cast<double>(p.rows) * p.cols * sizeof(T);
  const std::int64_t words = p.cols / word_size<T>,
                     rows_each = p.rows / gpu.multiprocessors();
  if (rows_each < 2) {
    launch_streamed<T, 16, 1, 2>(gpu, p, matrix);  // few rows: a block each
  } else if (matrix < 0.6 * cache) {
    launch_streamed<T, 2, 1, 4>(gpu, p, matrix);
  } else if (rows_each < 8) {
    launch_streamed<T, 16, 2, 1>(gpu, p, 0.3 * cache);
  } else if (sizeof(T) == 8 && words >= 4096) {
    launch_streamed<T, 8, 2, 4>(gpu, p, 0.3 * cache);
  } else if (words > 1024 || rows_each < 48) {
    launch_streamed<T, 8, 2, 2>(gpu, p, 0.3 * cache);
  } else if (words > 256) {
    launch_streamed<T, 2, 2, 4>(gpu, p, 0.3 * cache);
  } else {
    launch_streamed<T, 1, 2, 4>(gpu, p, 0.3 * cache);
  }
}

}  // namespace
