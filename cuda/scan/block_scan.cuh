// The tile of `warp_shuffles` and `look_back`: a block scans it in registers. A
// lane has words of 16 bytes. A warp reads a stretch of 32 of them at once, and
// its stretches follow one another. A warp therefore has one part of the tile
// and needs only one number from the others: the sum of the warps before it.
#pragma once

#include "gpu/gpu.hpp"

using namespace parlab;

namespace {

constexpr unsigned all_lanes = 0xffffffffu;

template <typename T>
struct alignas(16) Word {
  static constexpr int count = 16 / sizeof(T);
  T at[count];
};

// The sum over this lane and those before it.
template <typename T>
__device__ T warp_scan(T value) {
  const int lane = threadIdx.x % 32;
  _Pragma("unroll")
  for (int step = 1; step < 32; step *= 2) {
    const T before = __shfl_up_sync(all_lanes, value, step);
    if (lane >= step) value += before;
  }
  return value;
}

// words: words per lane.
template <typename T, int words>
struct TileOfBlock {
  static constexpr int n = Word<T>::count;
  Word<T> word[words];

  // Elements of the tile per thread.
  static constexpr int per_thread = n * words;

  // The place of this lane's first element; its next word is 32 words farther.
  static __device__ std::int64_t first(std::int64_t tile) {
    return tile * per_thread * blockDim.x +
           (threadIdx.x / 32 * words * 32 + threadIdx.x % 32) * n;
  }

  // Elements beyond the last one are 0.
  __device__ void read(const T* x, std::int64_t first, std::int64_t count) {
    _Pragma("unroll")
    for (int w = 0; w < words; ++w, first += 32 * n) {
      if (first + n <= count) {
        word[w] = *reinterpret_cast<const Word<T>*>(x + first);
      } else {
        _Pragma("unroll")
        for (int k = 0; k < n; ++k)
          word[w].at[k] = first + k < count ? x[first + k] : T{0};
      }
    }
  }

  // Writes the elements plus `before`, the sum of all before this warp's part.
  __device__ void write(T* y, std::int64_t first, std::int64_t count,
                        T before) {
    _Pragma("unroll")
    for (int w = 0; w < words; ++w, first += 32 * n) {
      _Pragma("unroll")
      for (int k = 0; k < n; ++k)
        word[w].at[k] += before;
      if (first + n <= count) {
        *reinterpret_cast<Word<T>*>(y + first) = word[w];
      } else {
        _Pragma("unroll")
        for (int k = 0; k < n; ++k) {
          if (first + k < count) y[first + k] = word[w].at[k];
        }
      }
    }
  }

  // Replaces the elements by the warp's prefix sums; returns the warp's total
  // in all its lanes.
  __device__ T scan_warp() {
    T until[words];
    _Pragma("unroll")
    for (int w = 0; w < words; ++w) {
      _Pragma("unroll")
      for (int k = 1; k < n; ++k)
        word[w].at[k] += word[w].at[k - 1];
      until[w] = warp_scan(word[w].at[n - 1]);
    }
    T sum = 0;  // sum of the stretches before
    _Pragma("unroll")
    for (int w = 0; w < words; ++w) {
      T before = __shfl_up_sync(all_lanes, until[w], 1);
      before = threadIdx.x % 32 == 0 ? sum : sum + before;
      _Pragma("unroll")
      for (int k = 0; k < n; ++k)
        word[w].at[k] += before;
      sum += __shfl_sync(all_lanes, until[w], 31);
    }
    return sum;
  }
};

// The sum of the values of the warps before this one, and that of all warps.
// part: 32 elements; two calls that use the same ones need a barrier between.
template <typename T>
struct SumsOfWarps {
  T before, all;
};
template <typename T>
__device__ SumsOfWarps<T> sums_of_warps(T value, T* part) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) part[warp] = value;
  __syncthreads();
  const T until = warp_scan(lane < blockDim.x / 32 ? part[lane] : T{0});
  const T before = __shfl_sync(all_lanes, until, warp == 0 ? 0 : warp - 1);
  return {warp == 0 ? T{0} : before, __shfl_sync(all_lanes, until, 31)};
}

}  // namespace
