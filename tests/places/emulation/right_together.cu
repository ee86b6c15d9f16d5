// Correct kernels that look unusual: threads, lanes and blocks that
// communicate.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>

#include <numeric>

#include "gpu/overlap.hpp"
#include "places/emulation/planted.hpp"

namespace cg = cooperative_groups;
using planted::Bench;

namespace {

__device__ int global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ float value_of(const float* in, int n) {
  return global_index() < n ? in[global_index()] : 0;
}

// ---- blocks

__global__ void reverses_a_piece(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int first = blockIdx.x * blockDim.x;
  const int count = min(static_cast<int>(blockDim.x), n - first);
  const int t = threadIdx.x;
  if (t < count) tile[t] = in[first + t];
  __syncthreads();
  if (t < count) out[first + t] = tile[count - 1 - t];
}
RIGHT(reverses_a_piece, 150);
RIGHT(reverses_a_piece, 147).at(99, 33);

// All threads of a block leave before its barrier, or none.
__global__ void whole_blocks_return(const float* in, float* out, int n) {
  __shared__ float first;
  if (static_cast<int>(blockIdx.x * blockDim.x) >= n - 32) return;
  if (threadIdx.x == 0) first = in[3];
  __syncthreads();
  out[global_index()] = first;
}
RIGHT(whole_blocks_return, 288);

__global__ void threads_return_after_the_last_barrier(const float* in,
                                                      float* out, int n) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, value_of(in, n));
  __syncthreads();
  if (threadIdx.x != 0) return;
  atomicAdd(out, sum);
}
RIGHT(threads_return_after_the_last_barrier, 150);

// As many barriers as the block has pieces, which differs between blocks.
__global__ void barriers_in_a_loop(const float* in, float* out, int n) {
  __shared__ float piece[32];
  for (unsigned step = 0; step <= blockIdx.x; ++step) {
    piece[threadIdx.x] = value_of(in, n);
    __syncthreads();
    if (step == blockIdx.x && global_index() < n)
      out[global_index()] = piece[threadIdx.x ^ 1];
    __syncthreads();
  }
}
RIGHT(barriers_in_a_loop, 150);

__global__ void two_buffers(const float* in, float* out, int n) {
  __shared__ float buffer[2][32];
  const int t = threadIdx.x;
  buffer[0][t] = in[t];
  __syncthreads();
  float sum = 0;
  for (int step = 0; 32 * step < n; ++step) {
    const int next = 32 * (step + 1) + t;
    buffer[(step + 1) % 2][t] = next < n ? in[next] : 0;
    sum += buffer[step % 2][31 - t];
    __syncthreads();
  }
  if (blockIdx.x == 0) out[t] = sum;
}
RIGHT(two_buffers, 150);

__global__ void scan(const float* in, float* out, int n) {
  __shared__ float sums[128];
  const int t = threadIdx.x;
  sums[t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int by = 1; by < 128; by *= 2) {
    const float before = t >= by ? sums[t - by] : 0;
    __syncthreads();
    sums[t] += before;
    __syncthreads();
  }
  if (t == n - 1) out[0] = sums[t];
}
RIGHT(scan, 150).at(100, 128);

__global__ void counts_votes(const float* in, float* out, int n) {
  const float x = value_of(in, n);
  const int some = __syncthreads_count(x > 1), any = __syncthreads_or(x > 2);
  const int all = __syncthreads_and(x >= 0), none = __syncthreads_and(x > 0);
  if (threadIdx.x == 0)
    out[blockIdx.x] = static_cast<float>(some + any + all + none);
}
RIGHT(counts_votes, 58);

__global__ void histogram(const float* in, float* out, int n) {
  __shared__ int local[4];
  if (threadIdx.x < 4) local[threadIdx.x] = 0;
  __syncthreads();
  if (global_index() < n)
    atomicAdd(&local[static_cast<int>(in[global_index()]) % 4], 1);
  __syncthreads();
  if (threadIdx.x < 4)
    atomicAdd(&out[threadIdx.x], static_cast<float>(local[threadIdx.x]));
}
RIGHT(histogram, 100);

__global__ void pipeline(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int i = global_index();
  if (i < n) __pipeline_memcpy_async(&tile[threadIdx.x], &in[i], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const unsigned other = threadIdx.x ^ 1;
  if (i < n) out[i] = (i ^ 1) < n ? tile[other] : tile[threadIdx.x];
}
RIGHT(pipeline, 150);

__global__ void pipeline_of_two_stages(const float* in, float* out, int n) {
  __shared__ float tile[2][32];
  const int t = threadIdx.x, steps = n / 32;
  const auto load = [&](int step) {
    if (step < steps)
      __pipeline_memcpy_async(&tile[step % 2][t], &in[32 * step + t], 4);
    __pipeline_commit();
  };
  load(0);
  float sum = 0;
  for (int step = 0; step < steps; ++step) {
    load(step + 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[step % 2][31 - t];
    __syncthreads();
  }
  if (blockIdx.x == 0) out[t] = sum;
}
RIGHT(pipeline_of_two_stages, 144).at(96, 32);

// ---- the same value from many

__global__ void lanes_store_one_value(const float* in, float* out, int n) {
  __shared__ float all;
  all = in[3];
  __syncthreads();
  if (global_index() < n) out[global_index()] = all;
}
RIGHT(lanes_store_one_value, 300);

__global__ void lanes_store_a_reduced_value(const float* in, float* out,
                                            int n) {
  float sum = value_of(in, n);
  for (int by = 16; by > 0; by /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, by);
  out[blockIdx.x] = sum;
}
RIGHT(lanes_store_a_reduced_value, 150);

__global__ void raises_a_flag(const float* in, float* out, int n) {
  __shared__ int found[2];
  if (threadIdx.x == 0) found[0] = found[1] = 0;
  __syncthreads();
  if (value_of(in, n) == 3) found[1] = 1;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<float>(found[1]);
}
RIGHT(raises_a_flag, 3).at(96, 32);

__global__ void all_blocks_raise_a_flag(const float* in, float* out, int n) {
  if (value_of(in, n) == 3) out[0] = 1;
}
RIGHT(all_blocks_raise_a_flag, 1);

// ---- warps

__global__ void warp_sum(const float* in, float* out, int n) {
  float sum = value_of(in, n);
  for (int lanes = 16; lanes > 0; lanes /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
RIGHT(warp_sum, 150);
RIGHT(warp_sum, 150).at(100, 96);

__global__ void warp_scan(const float* in, float* out, int n) {
  float sum = value_of(in, n);
  for (int by = 1; by < 32; by *= 2) {
    const float before = __shfl_up_sync(0xffffffff, sum, by);
    if (threadIdx.x % 32 >= static_cast<unsigned>(by)) sum += before;
  }
  if (threadIdx.x % 32 == 31) atomicAdd(out, sum);
}
RIGHT(warp_scan, 150);

// Lanes communicate through shared memory, ordered only by __syncwarp.
__global__ void through_syncwarp(const float* in, float* out, int n) {
  float* tile = shared_memory<float>();
  const int t = threadIdx.x;
  tile[t] = value_of(in, n);
  __syncwarp();
  const float neighbour = tile[t ^ 1];
  __syncwarp();
  tile[t] = neighbour;
  if (global_index() < n) out[global_index()] = tile[t];
}
RIGHT(through_syncwarp, 150);

// The last steps of a reduction, in one warp, with volatile and __syncwarp.
__global__ void volatile_tail(const float* in, float* out, int n) {
  __shared__ float sums[64];
  const int t = threadIdx.x;
  sums[t] = value_of(in, n);
  __syncthreads();
  if (t >= 32) return;
  volatile float* const tail = sums;
  for (int by = 32; by > 0; by /= 2) {
    const float other = tail[t + by];
    __syncwarp();
    tail[t] = tail[t] + other;
    __syncwarp();
  }
  if (t == 0) atomicAdd(out, tail[0]);
}
RIGHT(volatile_tail, 150).at(100, 64);

__global__ void segments_of_eight(const float* in, float* out, int n) {
  float sum = value_of(in, n);
  for (int by = 4; by > 0; by /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, by, 8);
  if (threadIdx.x % 8 == 0) atomicAdd(out, sum);
}
RIGHT(segments_of_eight, 150);

__global__ void halves_of_a_warp(const float* in, float* out, int n) {
  const unsigned mask = threadIdx.x % 32 < 16 ? 0x0000ffff : 0xffff0000;
  float sum = value_of(in, n);
  if (threadIdx.x % 32 < 16) {
    for (int by = 8; by > 0; by /= 2)
      sum += __shfl_xor_sync(mask, sum, by);
  } else {
    for (int by = 1; by < 16; by *= 2)
      sum += __shfl_xor_sync(mask, sum, by);
  }
  if (threadIdx.x % 16 == 0) atomicAdd(out, sum);
}
RIGHT(halves_of_a_warp, 150);

__global__ void remaining_lanes(const float* in, float* out, int n) {
  const unsigned mask = __ballot_sync(0xffffffff, global_index() < n);
  if (global_index() >= n) return;
  const int sum = __reduce_add_sync(mask, static_cast<int>(in[global_index()]));
  const int most =
      __reduce_max_sync(mask, static_cast<int>(in[global_index()]));
  if (threadIdx.x % 32 == 0) atomicAdd(out, static_cast<float>(sum + most - 3));
}
RIGHT(remaining_lanes, 150);

__global__ void lanes_of_equal_values(const float* in, float* out, int n) {
  const unsigned mask = __ballot_sync(0xffffffff, global_index() < n);
  if (global_index() >= n) return;
  const unsigned equal = __match_any_sync(mask, in[global_index()]);
  const int leader = __ffs(static_cast<int>(equal)) - 1;
  if (static_cast<int>(threadIdx.x) == leader) {
    atomicAdd(&out[static_cast<int>(in[global_index()])],
              static_cast<float>(__popc(equal)));
  }
}
RIGHT(lanes_of_equal_values, 100);

// One atomic for all lanes that are here.
__global__ void aggregated_atomics(const float* in, float* out, int n) {
  if (value_of(in, n) < 2) return;
  const unsigned here = __activemask();
  if (__ffs(static_cast<int>(here)) - 1 == static_cast<int>(threadIdx.x % 32)) {
    atomicAdd(out, static_cast<float>(__popc(here)));
  }
}
RIGHT(aggregated_atomics, 50);

__global__ void coalesced_lanes(const float* in, float* out, int n) {
  if (value_of(in, n) < 2) return;
  const auto here = cg::coalesced_threads();
  float first = 0;
  if (here.thread_rank() == 0)
    first = atomicAdd(out, static_cast<float>(here.size()));
  first = here.shfl(first, 0);
  if (first < 0) out[1] = here.thread_rank();
}
RIGHT(coalesced_lanes, 50);

// ---- groups

__global__ void group_of_a_block(const float* in, float* out, int n) {
  __shared__ float sums[1024];
  const auto block = cg::this_thread_block();
  sums[block.thread_rank()] = value_of(in, n);
  block.sync();
  if (block.thread_rank() == 0)
    atomicAdd(out, std::accumulate(sums, sums + block.size(), 0.0f));
}
RIGHT(group_of_a_block, 150);

__global__ void tiles_reduce(const float* in, float* out, int n) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const float sum = cg::reduce(tile, value_of(in, n), cg::plus<float>());
  if (tile.thread_rank() == 0) atomicAdd(out, sum);
}
RIGHT(tiles_reduce, 150).at(100, 64);

__global__ void small_tiles(const float* in, float* out, int n) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto tile = cg::tiled_partition<4>(warp);
  float sum = value_of(in, n);
  for (unsigned by = tile.size() / 2; by > 0; by /= 2)
    sum += tile.shfl_down(sum, by);
  if (tile.thread_rank() == 0) atomicAdd(&out[tile.meta_group_rank()], sum);
}
RIGHT(small_tiles, 150).at(100, 64);

__global__ void tiles_by_number(const float* in, float* out, int n) {
  const auto tile = cg::tiled_partition(cg::this_thread_block(), 8);
  float sum = value_of(in, n);
  for (unsigned by = 4; by > 0; by /= 2)
    sum += tile.shfl_xor(sum, by);
  tile.sync();
  if (tile.thread_rank() == 7) atomicAdd(out, sum);
}
RIGHT(tiles_by_number, 150);

__global__ void tiles_go_their_own_way(const float* in, float* out, int n) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  float x = value_of(in, n);
  if (tile.meta_group_rank() == 0) {
    x = tile.shfl(x, 3);
  } else if (tile.any(x > 2)) {
    x = static_cast<float>(__popc(tile.ballot(x == 3)));
  }
  if (global_index() < n) out[global_index()] = x;
}
RIGHT(tiles_go_their_own_way, 336).at(96, 32);

// ---- the grid

// All blocks write, all meet, each reads another one's words; and once more.
__global__ void grid_barriers(const float* in, float* middle, float* out,
                              int n) {
  const int i = global_index();
  if (i < n) middle[i] = in[i];
  cg::this_grid().sync();
  const float mirrored = i < n ? middle[n - 1 - i] : 0;
  cg::this_grid().sync();
  if (i < n) middle[i] = mirrored;
  cg::this_grid().sync();
  if (i < n) out[i] = middle[n - 1 - i];
}
PLANTED(__LINE__, {"grid_barriers", planted::Kind::right,
                   planted::cooperative(grid_barriers), 150});

// A thread waits for another one of its block and must not starve it.
__global__ void spins(const float*, float* out, unsigned* flag, int) {
  if (blockIdx.x > 0) return;
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0u) != blockDim.x - 1)
      __nanosleep(20);
    *out = static_cast<float>(atomicExch(flag, 0u));
  } else {
    atomicAdd(flag, 1u);
  }
}
RIGHT(spins, 31);
RIGHT(spins, 1023).at(2048, 1024);

__global__ void lock(const float* in, float* out, unsigned* taken, int n) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(taken, 0u, 1u) != 0) {
  }
  __threadfence();
  *out += value_of(in, n) + 1;
  __threadfence();
  atomicExch(taken, 0u);
}
RIGHT(lock, 4);

// All threads of a block, and so all lanes of a warp, take turns.
__global__ void lock_of_all(const float* in, float* out, unsigned* taken,
                            int n) {
  for (bool done = false; !done;) {
    if (atomicCAS(taken, 0u, 1u) != 0) continue;
    __threadfence();
    *out += value_of(in, n);
    __threadfence();
    atomicExch(taken, 0u);
    done = true;
  }
}
RIGHT(lock_of_all, 150);

__global__ void lock_of_block(const float* in, float* out, int n) {
  __shared__ unsigned taken;
  __shared__ float sum;
  if (threadIdx.x == 0) {
    taken = 0;
    sum = 0;
  }
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&taken, 0u, 1u) != 0) continue;
    __threadfence_block();
    sum += value_of(in, n);
    __threadfence_block();
    atomicExch(&taken, 0u);
    done = true;
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
RIGHT(lock_of_block, 150);

__global__ void maximum_by_compare_and_swap(const float* in, float* out,
                                            int n) {
  auto* const word = reinterpret_cast<unsigned*>(out);
  const float mine = value_of(in, n);
  unsigned seen = *reinterpret_cast<const unsigned*>(in);
  while (__uint_as_float(seen) < mine) {
    const unsigned before = atomicCAS(word, seen, __float_as_uint(mine));
    if (before == seen) break;
    seen = before;
  }
}
RIGHT(maximum_by_compare_and_swap, 3);

// The last block to finish adds up the others' sums: __threadfence and an
// atomic counter.
__global__ void last_block(const float* in, float* partial, unsigned* done,
                           float* out, int n) {
  __shared__ float sums[1024];
  __shared__ bool last;
  const int t = threadIdx.x;
  sums[t] = value_of(in, n);
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = sums[0];
    __threadfence();
    last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || t != 0) return;
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b)
    sum += partial[b];
  *out = sum;
}
RIGHT(last_block, 150);
RIGHT(last_block, 1500).at(1000, 64);

__global__ void last_block_resets(const float* in, float* partial,
                                  unsigned* done, float* out, int n) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = value_of(in, n) + 1;
  __threadfence();
  if (atomicAdd(done, 1u) != gridDim.x - 1) return;
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b)
    sum += partial[b];
  *out = sum;
  *done = 0;
}
RIGHT(last_block_resets, 4);

// Every thread fences its own writes, the block meets, and one thread counts
// for all of them.
__global__ void fence_then_barrier(const float* in, float* partial,
                                   unsigned* done, float* out, int n) {
  __shared__ bool last;
  const int i = global_index();
  if (i < n) partial[i] = in[i];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  for (int at = threadIdx.x; at < n; at += blockDim.x)
    out[at] = partial[n - 1 - at];
  if (threadIdx.x == 0) *done = 0;
}
RIGHT(fence_then_barrier, 150);
RIGHT(fence_then_barrier, 1536).at(1024, 256);

// As in NVIDIA's sample: thread 0 writes, all fence, thread 0 takes
// the ticket, the block meets.
__global__ void fence_of_all_then_ticket(const float* in, float* partial,
                                         unsigned* done, float* out, int n) {
  __shared__ bool last;
  if (threadIdx.x == 0) partial[blockIdx.x] = in[blockIdx.x];
  __threadfence();
  if (threadIdx.x == 0) last = atomicInc(done, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
    out[b] = partial[b];
  if (threadIdx.x == 0 && n > 0) *done = 0;
}
RIGHT(fence_of_all_then_ticket, 6);

// The block meets first, and one thread's fence covers the writes of all of
// them.
__global__ void barrier_then_fence(const float* in, float* partial,
                                   unsigned* done, float* out, int n) {
  __shared__ bool last;
  const int i = global_index();
  if (i < n) partial[i] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  for (int at = threadIdx.x; at < n; at += blockDim.x)
    out[at] = partial[at];
  if (threadIdx.x == 0) atomicExch(done, 0u);
}
RIGHT(barrier_then_fence, 150);

// ---- launches that overlap

__global__ void writes_threes(const float*, float* out, int n) {
  if (global_index() < n) out[global_index()] = 3;
}

// It may write at once to memory that no earlier launch has touched.
__global__ void prepares_its_own(const float* in, float* own, float* out,
                                 int n) {
  const int i = global_index();
  if (i < n) own[i] = in[i];
  parlab::wait_for_launch_before();
  if (i < n) out[i] += own[i];
}
const planted::Add prepares = planted::Case{
    "prepares_its_own", planted::Kind::right,
    [](const Bench& bench) {
      auto config = bench.config();
      float* const own = bench.gpu.scratch<float>(bench.n);
      bench.gpu.launch(config, writes_threes, bench.in, bench.out, bench.n);
      config.overlaps = true;
      bench.gpu.launch(config, prepares_its_own, bench.in, own, bench.out,
                       bench.n);
    },
    450};

}  // namespace
