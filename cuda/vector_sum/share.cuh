// Shared by `wide` and `last_block`: how a thread adds its share of x, with
// many loads under way, and how a block adds the sums of its threads.
#pragma once

#include <cstdint>

using namespace parlab;

namespace {

// 16-byte loads that a thread starts before it uses the first
constexpr int in_flight = 8;

// 16 bytes of elements, loaded at once.
template <typename T>
struct alignas(16) Pack {
  static constexpr int count = 16 / sizeof(T);
  T element[count];
};

// The block's sum, returned in its first thread. part: room for one value per
// warp; free again after the next barrier.
template <typename T>
__device__ T block_sum(T sum, T* part) {
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return 0;
  sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : T{0};
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  return sum;
}

// The sum of this thread's share of x: every n-th pack, for n threads.
template <typename T>
__device__ T share(const T* x, std::int64_t n) {
  const auto* packs = reinterpret_cast<const Pack<T>*>(x);
  const std::int64_t count = n / Pack<T>::count;
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t me = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // one sum per place, so that the additions do not wait for each other
  Pack<T> lanes{};
  const auto add = [&](const Pack<T>& pack) {
    _Pragma("unroll")
    for (int k = 0; k < Pack<T>::count; ++k)
      lanes.element[k] += pack.element[k];
  };
  std::int64_t i = me;
  for (; i + (in_flight - 1) * threads < count; i += in_flight * threads) {
    Pack<T> loaded[in_flight];
    _Pragma("unroll")
    for (int k = 0; k < in_flight; ++k)
      loaded[k] = packs[i + k * threads];
    _Pragma("unroll")
    for (int k = 0; k < in_flight; ++k)
      add(loaded[k]);
  }

  for (; i < count; i += threads) {
    const Pack<T> loaded = packs[i];
    add(loaded);
  }

  T sum = 0;
  for (const T lane : lanes.element)
    sum += lane;
  if (count * Pack<T>::count + me < n) sum += x[count * Pack<T>::count + me];
  return sum;
}

}  // namespace
