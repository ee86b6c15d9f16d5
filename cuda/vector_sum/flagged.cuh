// The kernels of `flagged`; flagged.cu says how they work. The variant for
// several GPUs uses them too.
#pragma once

#include "gpu/gpu.hpp"
#include "gpu/overlap.hpp"
#include "workloads/vector_sum.hpp"

using namespace parlab;

namespace {

using Word = unsigned long long;

// 16 bytes of elements, loaded at once.
template <typename T>
struct alignas(16) Pack {
  static constexpr int count = 16 / sizeof(T);
  T element[count];

  __device__ void add(const Pack& other) {
    _Pragma("unroll")
    for (int k = 0; k < count; ++k)
      element[k] += other.element[k];
  }

  __device__ T sum() const {
    if constexpr (count == 4)
      return (element[0] + element[1]) + (element[2] + element[3]);
    return element[0] + element[1];
  }
};

// With the hint that the words will not be needed again, so that they do not
// push out earlier ones.
template <typename T>
__device__ Pack<T> load_once(const Pack<T>* pack) {
  using Whole = std::conditional_t<
      sizeof(T) == 8, double2,
      std::conditional_t<std::is_same_v<T, float>, float4, int4>>;
  const Whole whole = __ldcs(reinterpret_cast<const Whole*>(pack));
  if constexpr (sizeof(T) == 8) {
    return {{whole.x, whole.y}};
  } else {
    return {{whole.x, whole.y, whole.z, whole.w}};
  }
}

// A value as a word that is never 0: 4-byte values beside a 1; a double 0
// becomes -0, which adds to anything as 0 does.
__device__ Word to_word(int value) {
  return Word{1} << 32 | static_cast<unsigned>(value);
}
__device__ Word to_word(float value) {
  return Word{1} << 32 | __float_as_uint(value);
}
__device__ Word to_word(double value) {
  return value == 0 ? Word{1} << 63
                    : static_cast<Word>(__double_as_longlong(value));
}
template <typename T>
__device__ T from_word(Word word) {
  if constexpr (sizeof(T) == 8)
    return __longlong_as_double(static_cast<long long>(word));
  if constexpr (std::is_same_v<T, float>)
    return __uint_as_float(static_cast<unsigned>(word));
  return static_cast<T>(static_cast<unsigned>(word));
}

// Waits for the word of another block, takes it, and leaves
// 0 for the next launch.
template <typename T>
__device__ T take(Word* word) {
  Word taken;
  do
    taken = atomicExch(word, Word{0});
  while (taken == 0);
  return from_word<T>(taken);
}

template <typename T>
__device__ T warp_sum(T value) {
  _Pragma("unroll")
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, offset);
  }

  return value;
}

// The block's sum, returned in its first thread; other warps return early.
template <typename T, int block>
__device__ T block_sum(T value, T* part) {
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return 0;
  return warp_sum(threadIdx.x < block / 32 ? part[threadIdx.x] : T{0});
}

constexpr int small_block = 256, small_blocks = 32;
constexpr int large_block = 512, large_loads = 8;

// words: one per block, 0 before and afterwards, like `started`. At most 32
// blocks.
template <typename T, int loads>
__global__ void __launch_bounds__(small_block, 1)
    vector_sum_flagged_small(const T* x, T* sum, unsigned n, Word* words,
                             unsigned* started) {
  __shared__ T part[small_block / 32];
  let_next_launch_begin();
  const bool alone = gridDim.x == 1;  // has nobody to wait for
  unsigned ticket = 0;
  if (threadIdx.x == 0 && !alone) ticket = atomicAdd(started, 1u);

  const auto* packs = reinterpret_cast<const Pack<T>*>(x);
  const unsigned count = n / Pack<T>::count, threads = gridDim.x * small_block;
  const unsigned me = blockIdx.x * small_block + threadIdx.x;
  Pack<T> loaded[loads] = {};
  _Pragma("unroll")
  for (int k = 0; k < loads; ++k) {
    if (me + k * threads < count) loaded[k] = packs[me + k * threads];
  }

  T mine = me < n % Pack<T>::count ? x[count * Pack<T>::count + me] : T{0};
  _Pragma("unroll")
  for (int k = 0; k < loads; ++k)
    mine += loaded[k].sum();

  mine = block_sum<T, small_block>(mine, part);
  if (threadIdx.x >= 32) return;
  if (alone) {
    if (threadIdx.x == 0) *sum = mine;
    return;
  }

  if (threadIdx.x == 0) atomicExch(&words[blockIdx.x], to_word(mine));
  if (__shfl_sync(0xffffffffu, ticket, 0) != gridDim.x - 1) return;

  mine =
      warp_sum(threadIdx.x < gridDim.x ? take<T>(&words[threadIdx.x]) : T{0});
  if (threadIdx.x == 0) {
    *sum = mine;
    atomicExch(started, 0u);
  }
}

// rounds: how often each thread of the grid finds large_loads packs. The packs
// of the first `kept` rounds stay in the second-level cache.
template <typename T>
__global__ void __launch_bounds__(large_block, 2)
    vector_sum_flagged_large(const T* x, T* sum, std::int64_t n,
                             std::int64_t rounds, std::int64_t kept,
                             Word* words, unsigned* started) {
  __shared__ T part[large_block / 32];
  __shared__ unsigned ticket;
  let_next_launch_begin();
  if (threadIdx.x == 0) ticket = atomicAdd(started, 1u);

  const std::int64_t count = n / Pack<T>::count;
  const std::int64_t threads = std::int64_t{gridDim.x} * large_block;
  const std::int64_t me = std::int64_t{blockIdx.x} * large_block + threadIdx.x;
  const auto* packs = reinterpret_cast<const Pack<T>*>(x);

  // In a round a block reads one stretch of memory.
  const auto* next = packs +
                     std::int64_t{blockIdx.x} * large_block * large_loads +
                     threadIdx.x;
  Pack<T> lanes{};
  for (std::int64_t round = 0; round < rounds;
       ++round, next += threads * large_loads) {
    Pack<T> loaded[large_loads];
    if (round < kept) {
      _Pragma("unroll")
      for (int k = 0; k < large_loads; ++k)
        loaded[k] = next[k * large_block];
    } else {
      _Pragma("unroll")
      for (int k = 0; k < large_loads; ++k)
        loaded[k] = load_once(next + k * large_block);
    }
    _Pragma("unroll")
    for (int k = 0; k < large_loads; ++k)
      lanes.add(loaded[k]);
  }

  // The remainder, less than a round, is spread over all threads and loaded at
  // once again.
  const std::int64_t first = rounds * threads * large_loads + me;
  Pack<T> loaded[large_loads] = {};
  _Pragma("unroll")
  for (int k = 0; k < large_loads; ++k) {
    if (first + k * threads < count) loaded[k] = packs[first + k * threads];
  }

  _Pragma("unroll")
  for (int k = 0; k < large_loads; ++k)
    lanes.add(loaded[k]);
  T mine = lanes.sum();
  if (count * Pack<T>::count + me < n) mine += x[count * Pack<T>::count + me];

  mine = block_sum<T, large_block>(mine, part);
  if (threadIdx.x == 0) atomicExch(&words[blockIdx.x], to_word(mine));
  if (ticket != gridDim.x - 1) return;

  __syncthreads();
  mine = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += large_block)
    mine += take<T>(&words[i]);
  __syncthreads();
  mine = block_sum<T, large_block>(mine, part);
  if (threadIdx.x == 0) {
    *sum = mine;
    atomicExch(started, 0u);
  }
}

// Starts the small kernel with as many loads per thread as 32 blocks need, or
// as one block needs if eight will do: a second block costs more than they do.
template <typename T, int loads = 1>
void sum_small(Gpu& gpu, const VectorSum::Args<T>& p, Word* words,
               unsigned* started) {
  constexpr std::int64_t reach =
                             std::int64_t{small_block} * Pack<T>::count * loads,
                         most_alone = 8 * small_block * Pack<T>::count;
  if constexpr (loads < 16) {
    if (p.n > reach * small_blocks || (p.n > reach && p.n <= most_alone))
      return sum_small<T, 2 * loads>(gpu, p, words, started);
  }

  gpu.launch({.grid = {ceil_div(p.n, reach)}, .block = {small_block}},
             vector_sum_flagged_small<T, loads>, p.x, p.sum, p.n, words,
             started);
}

// Sums p.x into p.sum.
template <typename T>
void launch_flagged(Gpu& gpu, const VectorSum::Args<T>& p) {
  auto* started = gpu.zeroed_scratch<unsigned>(1);
  constexpr std::int64_t small =
      std::int64_t{small_blocks} * small_block * 16 * Pack<T>::count;
  if (p.n <= small) {
    return sum_small(gpu, p, gpu.zeroed_scratch<Word>(small_blocks), started);
  }
  const std::int64_t blocks = 2 * gpu.multiprocessors();
  const std::int64_t round = blocks * large_block * large_loads;  // packs
  const auto rounds = p.n / Pack<T>::count / round;

  // All rounds if x fits; otherwise as many as stay in the cache while the
  // rest passes through.
  const auto cache = static_cast<std::int64_t>(gpu.l2_bytes());
  const auto bytes = static_cast<std::int64_t>(p.n * sizeof(T));
  const auto kept = bytes < cache / 10 * 6 ? rounds : cache / 3 / (round * 16);
  gpu.launch({.grid = {blocks}, .block = {large_block}},
             vector_sum_flagged_large<T>, p.x, p.sum, p.n, rounds, kept,
             gpu.zeroed_scratch<Word>(blocks), started);
}

}  // namespace
