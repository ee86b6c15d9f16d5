// Adds 1 for each element and nothing else: multiprocessors have an instruction
// that increments in shared memory, faster than one that adds a count. What is
// left is to find the addresses with few instructions. Bytes 0 and 2 of a word
// become two addresses of 16 bits in one go, and so do bytes 1 and 3. With 32
// copies of the bins each lane has its own bank, and lanes with equal elements
// do not wait for one another.
//
// A bin's total is a word of 8 bytes. Its upper half counts the blocks that
// have added to it, so the last of them knows the sum from the same operation:
// no launch clears the bins before, and no block waits for another.
#include <algorithm>

#include "gpu/gpu.hpp"
#include "workloads/histogram.hpp"

using namespace parlab;

namespace {

constexpr int block_threads = 1024, in_flight = 4;
constexpr int copies = 32;  // of the bins, side by side
constexpr std::size_t bin_bytes = copies * sizeof(int);
constexpr std::size_t shared_bytes = Histogram::bins * bin_bytes;
static_assert(bin_bytes == 1 << 7 && shared_bytes <= 1 << 16);

// 16 bytes of elements, as four numbers of 32 bits.
struct alignas(16) Word {
  unsigned part[4];
};

// A bin's sum, and one_block for each block that has added to it.
using Total = unsigned long long;
constexpr Total one_block = 1ull << 32;

class Counters {
 public:
  // All threads of the block must call it.
  __device__ explicit Counters(unsigned char* memory)
      : memory_(memory), lane_(threadIdx.x % copies * 4 * 0x10001u) {
    for (int i = threadIdx.x; i < Histogram::bins * copies; i += block_threads)
      counts()[i] = 0;
    __syncthreads();
  }

  __device__ void add(unsigned bin) { increment(bin << 7 | (lane_ & 0xffff)); }

  __device__ void add_four(unsigned bytes) {
    const unsigned even = (bytes & 0xff00ff) << 7 | lane_,
                   odd = (bytes >> 1 & 0x7f807f80) | lane_;
    increment(even & 0xffff);
    increment(odd & 0xffff);
    increment(even >> 16);
    increment(odd >> 16);
  }

  // All threads of the block must call it, once. Four threads add up a bin;
  // each lane begins with a different copy, and so in a different bank. The
  // last block writes h.
  __device__ void add_to(Total* totals, int* h) {
    __syncthreads();
    const int bin = threadIdx.x / 4, part = threadIdx.x % 4;
    int sum = 0;
    _Pragma("unroll")
    for (int i = 0; i < copies / 4; ++i) {
      const int copy = part * (copies / 4) + (i + bin) % (copies / 4);
      sum += counts()[bin * copies + copy];
    }
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    if (part != 0) return;
    const Total mine = one_block | static_cast<unsigned>(sum);
    const Total now = atomicAdd(&totals[bin], mine) + mine;
    if (now / one_block != gridDim.x) return;
    h[bin] = static_cast<int>(now % one_block);
    atomicExch(&totals[bin], Total{0});
  }

 private:
  __device__ int* counts() { return reinterpret_cast<int*>(memory_); }
  __device__ void increment(unsigned address) {
    atomicAdd(reinterpret_cast<int*>(memory_ + address), 1);
  }

  unsigned char* memory_;
  unsigned lane_;  // the bits of an address that are the lane's own, twice
};
static_assert(block_threads == 4 * Histogram::bins);

template <typename T>
__device__ void add_word(Counters& counters, const Word& word) {
  if constexpr (sizeof(T) == 1) {
    _Pragma("unroll")
    for (const unsigned part : word.part)
      counters.add_four(part);
  } else {
    _Pragma("unroll")
    for (const unsigned part : word.part)
      counters.add(part & 255);
  }
}

// totals: zero before and afterwards.
template <typename T>
__global__ void __launch_bounds__(block_threads, 2)
    histogram_increments(const T* x, int* h, std::int64_t n, Total* totals) {
  constexpr int per_word = 16 / sizeof(T);
  Counters counters(shared_memory<unsigned char>());
  const std::int64_t threads = std::int64_t{gridDim.x} * block_threads;
  const std::int64_t me =
      std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const auto* words = reinterpret_cast<const Word*>(x);
  const std::int64_t count = n / per_word;
  std::int64_t i = me;
  for (; i + (in_flight - 1) * threads < count; i += in_flight * threads) {
    Word loaded[in_flight];
    _Pragma("unroll")
    for (int k = 0; k < in_flight; ++k)
      loaded[k] = words[i + k * threads];
    _Pragma("unroll")
    for (int k = 0; k < in_flight; ++k)
      add_word<T>(counters, loaded[k]);
  }
  for (; i < count; i += threads)
    add_word<T>(counters, words[i]);
  for (i = count * per_word + me; i < n; i += threads)
    counters.add(static_cast<unsigned>(Histogram::bin_of(x[i])));
  counters.add_to(totals, h);
}

// Each block adds to every bin's total, so a thread takes eight words. Few
// blocks leave the device idle, so up to half of its multiprocessors have one
// as long as every thread has a word.
inline std::int64_t blocks_for(Gpu& gpu, std::int64_t words) {
  const std::int64_t half = gpu.multiprocessors() / 2;
  return std::max(std::min(ceil_div(words, block_threads), half),
                  ceil_div(words, 8 * block_threads));
}

}  // namespace

const Register<Histogram, std::uint8_t, int> variant(
    {.rung = 4,
     .idea = "the addresses of two elements at once, increments in place of "
             "sums; one launch"},
    []<typename T>(Gpu& gpu, const Histogram::Args<T>& p, const Tunables&) {
      const std::int64_t wave =
          gpu.multiprocessors() * gpu.resident_blocks(histogram_increments<T>,
                                                      block_threads,
                                                      shared_bytes);
      const std::int64_t words = ceil_div(p.n, 16 / std::int64_t{sizeof(T)});
      gpu.launch(
          {.grid = {std::clamp(blocks_for(gpu, words), std::int64_t{1}, wave)},
           .block = {block_threads},
           .shared_bytes = shared_bytes},
          histogram_increments<T>, p.x, p.h, p.n,
          gpu.zeroed_scratch<Total>(Histogram::bins));
    });
