// A block's bins in shared memory, for the variants from `shared` on.
#pragma once

#include <algorithm>

#include "gpu/gpu.hpp"
#include "workloads/histogram.hpp"

using namespace parlab;

namespace {

// Several copies of the bins; the copies of one bin lie side by side. The lanes
// of a warp take the copies in turn: with 32 copies each lane has its own bank.
class PrivateBins {
 public:
  // All threads of the block must call it. copies: a power of two.
  __device__ PrivateBins(int* memory, int copies)
      : memory_(memory),
        copies_(copies),
        mine_(memory + (threadIdx.x & (copies - 1))) {
    for (int i = threadIdx.x; i < Histogram::bins * copies; i += blockDim.x)
      memory[i] = 0;
    __syncthreads();
  }

  __device__ void add(int bin, int count) {
    atomicAdd(&mine_[bin * copies_], count);
  }

  // All threads of the block must call it, once.
  __device__ void add_to(int* h) {
    __syncthreads();
    for (int bin = threadIdx.x; bin < Histogram::bins; bin += blockDim.x) {
      int sum = 0;
      // Each lane begins with a different copy, and so in a different bank.
      for (int i = 0; i < copies_; ++i)
        sum += memory_[bin * copies_ + ((i + threadIdx.x) & (copies_ - 1))];
      if (sum != 0) atomicAdd(&h[bin], sum);
    }
  }

 private:
  int* memory_;
  int copies_;
  int* mine_;
};

// Clears the bins, then starts one wave of blocks, or fewer if there is less
// work: kernel(x, h, n, copies).
template <typename T>
void launch_private(Gpu& gpu, const Histogram::Args<T>& p, std::int64_t block,
                    std::int64_t copies, std::int64_t per_thread,
                    void (*kernel)(const T*, int*, std::int64_t, int)) {
  const auto bytes =
      static_cast<std::size_t>(Histogram::bins * copies) * sizeof(int);
  const std::int64_t wave =
      gpu.multiprocessors() *
      gpu.resident_blocks(kernel, static_cast<int>(block), bytes);
  gpu.clear(p.h, Histogram::bins * sizeof(int));
  gpu.launch({.grid = {std::min(wave, ceil_div(p.n, block * per_thread))},
              .block = {block},
              .shared_bytes = bytes},
             kernel, p.x, p.h, p.n, static_cast<int>(copies));
}

// The tunable `copies`.
inline TunableSpec copies_of_bins(std::int64_t fallback) {
  return {.name = "copies",
          .fallback = fallback,
          .min = 1,
          .max = 32,
          .power_of_two = true};
}

}  // namespace
