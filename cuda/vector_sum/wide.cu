// Every thread adds many elements before it meets another thread. A grid of one wave walks over x;
// a thread reads 16 bytes at a time, eight times before it uses the first: with 128 bytes a thread
// on their way, the whole device waits for memory at once and not thread by thread. The steps
// between threads, and the blocks whose sums the second launch adds, become few.
#include "gpu/gpu.hpp"
#include "workloads/vector_sum.hpp"

using namespace parlab;

namespace {

constexpr int in_flight = 8;  // 16-byte loads a thread starts before it uses the first

// 16 bytes of elements, loaded at once.
template <typename T>
struct alignas(16) Pack {
  static constexpr int count = 16 / sizeof(T);
  T element[count];
};

// The sum over the warp, in its first thread.
template <typename T>
__device__ T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, offset);
  }
  return value;
}

// At most 1024 threads: so the compiler may use the registers that many loads in flight need.
template <typename T>
__global__ void __launch_bounds__(1024, 1) vector_sum_wide(const T* x, T* sums, std::int64_t n) {
  __shared__ T part[32];  // one a warp
  const auto* packs = reinterpret_cast<const Pack<T>*>(x);
  const std::int64_t count = n / Pack<T>::count;
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t me = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  Pack<T> lanes{};  // one sum a place: the additions do not wait for each other
  const auto add = [&](const Pack<T>& pack) {
    _Pragma("unroll")
    for (int k = 0; k < Pack<T>::count; ++k) lanes.element[k] += pack.element[k];
  };
  std::int64_t i = me;
  for (; i + (in_flight - 1) * threads < count; i += in_flight * threads) {
    Pack<T> loaded[in_flight];
    _Pragma("unroll")
    for (int k = 0; k < in_flight; ++k) loaded[k] = packs[i + k * threads];
    _Pragma("unroll")
    for (int k = 0; k < in_flight; ++k) add(loaded[k]);
  }
  for (; i < count; i += threads) {
    const Pack<T> loaded = packs[i];
    add(loaded);
  }
  T sum = 0;
  for (const T lane : lanes.element) sum += lane;
  if (count * Pack<T>::count + me < n) sum += x[count * Pack<T>::count + me];

  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = warp_sum(threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : T{0});
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  }
}

}  // namespace

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 5,
        .idea = "one wave of threads, eight 16-byte loads of each in flight; two launches",
        .tunables = {block_size(512, 32)},
    },
    []<typename T>(Gpu& gpu, const VectorSum::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      const std::int64_t wave =
          gpu.multiprocessors() * gpu.resident_blocks(vector_sum_wide<T>, static_cast<int>(block));
      const auto needed = ceil_div(p.n, block * Pack<T>::count);
      const auto blocks = std::min(wave, needed);
      T* sums = gpu.scratch<T>(blocks);
      gpu.launch({.grid = {blocks}, .block = {block}}, vector_sum_wide<T>, p.x,
                 blocks == 1 ? p.sum : sums, p.n);
      if (blocks > 1) {
        gpu.launch({.grid = {1}, .block = {block}}, vector_sum_wide<T>, sums, p.sum, blocks);
      }
    });
