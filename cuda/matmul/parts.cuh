// Blocks that share a tile of C, if there are too few tiles for all
// multiprocessors: blockIdx.x is the tile, blockIdx.y the part of k that a
// block multiplies. Each block leaves its sums in scratch memory. The block
// that ends last adds them up, in order of k, and stores the tile.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/gpu.hpp"

using namespace parlab;

namespace {

struct SyncBlock {
  __device__ __forceinline__ void operator()() const { __syncthreads(); }
};

template <typename T>
struct PartsOfK {
  int count = 1;  // per tile
  T* sums = nullptr;
  // per tile, how many blocks have ended; zero before and afterwards
  unsigned* ended = nullptr;

  PartsOfK() = default;
  // tile: the number of its elements.
  PartsOfK(Gpu& gpu, std::int64_t tiles, int count_, std::int64_t tile)
      : count(count_),
        sums(gpu.scratch<T>(tiles * count * tile)),
        ended(gpu.zeroed_scratch<unsigned>(tiles)) {}

  // The columns of A before a part: whole stages. The last part has the
  // remainder, too.
  template <int depth>
  __device__ __forceinline__ std::int64_t columns_before(std::int64_t k,
                                                         int part) const {
    return part == count ? k : k / depth * part / count * depth;
  }

  // Leaves n sums of each of `threads` threads for the last block.
  template <int threads, int n>
  __device__ __forceinline__ void leave(const T* sum) const {
    Some* const to = place<threads, n>(blockIdx.y);
    _Pragma("unroll")
    for (int v = 0; v < n / width; ++v) {
      Some some;
      _Pragma("unroll")
      for (int i = 0; i < width; ++i)
        some.element[i] = sum[v * width + i];
      to[v * threads] = some;
    }
  }

  // Whether this block is the last one of its tile, which sees the sums of all.
  // All threads that left sums call it, and sync() makes them wait for one
  // another.
  template <typename Sync = SyncBlock>
  __device__ __forceinline__ bool all_ended(Sync sync = {}) const {
    __shared__ bool last;
    __threadfence();
    sync();
    if (threadIdx.x == 0) {
      unsigned& mine = ended[blockIdx.x];
      last = atomicAdd(&mine, 1u) == static_cast<unsigned>(count) - 1;
      if (last) atomicExch(&mine, 0u);
    }
    sync();
    if (last) __threadfence();
    return last;
  }

  // Adds up the sums that this thread's counterparts in all blocks have left.
  template <int threads, int n>
  __device__ __forceinline__ void add(T* sum) const {
    _Pragma("unroll")
    for (int i = 0; i < n; ++i)
      sum[i] = 0;
    for (int part = 0; part < count; ++part) {
      const Some* const from = place<threads, n>(part);
      _Pragma("unroll")
      for (int v = 0; v < n / width; ++v) {
        const Some some = from[v * threads];
        _Pragma("unroll")
        for (int i = 0; i < width; ++i)
          sum[v * width + i] += some.element[i];
      }
    }
  }

 private:
  static constexpr int width = 16 / sizeof(T);
  struct alignas(16) Some {
    T element[width];
  };

  template <int threads, int n>
  __device__ __forceinline__ Some* place(int part) const {
    static_assert(n % width == 0);
    const std::int64_t before = std::int64_t{blockIdx.x} * count + part;
    return reinterpret_cast<Some*>(sums) + before * (n / width * threads) +
           threadIdx.x % threads;
  }
};

// The most parts that a tile is worth: each has at least four stages.
inline int most_parts(std::int64_t k, int depth) {
  return static_cast<int>(std::clamp<std::int64_t>(k / (4 * depth), 1, 16));
}

}  // namespace
