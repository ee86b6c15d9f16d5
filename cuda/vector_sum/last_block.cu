// wide in one launch: the second launch costs more than what it does. A block that has written its
// sum counts itself; the one that finds that all others have done so adds the sums. The fence makes
// a block's sum visible before its count. The sums are added in the order of the blocks, whichever
// block does it: the result is the same every time.
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

// The sum over the block, in its first thread. part: room for one value a warp; free again after
// the next barrier.
template <typename T>
__device__ T block_sum(T sum, T* part) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return 0;
  sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : T{0};
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  return sum;
}

// The sum of this thread's share of x: every threads-th pack of it.
template <typename T>
__device__ T share(const T* x, std::int64_t n) {
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
  return sum;
}

// sums: one a block. finished: zero before, zero afterwards. At most 1024 threads: so the compiler
// may use the registers that many loads in flight need.
template <typename T>
__global__ void __launch_bounds__(1024, 1)
    vector_sum_last_block(const T* x, T* sum, std::int64_t n, T* sums, unsigned* finished) {
  __shared__ T part[32];
  __shared__ bool last;
  T mine = block_sum(share(x, n), part);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = mine;
    __threadfence();
    last = atomicAdd(finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  mine = 0;
  // Past the first-level cache, which other blocks' writes do not reach.
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) mine += __ldcg(&sums[i]);
  mine = block_sum(mine, part);
  if (threadIdx.x == 0) {
    *sum = mine;
    atomicExch(finished, 0u);
  }
}

}  // namespace

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 6,
        .idea = "wide in one launch: the block that finishes last adds the sums of all",
        .tunables = {block_size(512, 32)},
    },
    []<typename T>(Gpu& gpu, const VectorSum::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      const std::int64_t wave =
          gpu.multiprocessors() *
          gpu.resident_blocks(vector_sum_last_block<T>, static_cast<int>(block));
      const auto blocks = std::min(wave, ceil_div(p.n, block * Pack<T>::count));
      gpu.launch({.grid = {blocks}, .block = {block}}, vector_sum_last_block<T>, p.x, p.sum, p.n,
                 gpu.scratch<T>(blocks), gpu.zeroed_scratch<unsigned>(1));
    });
