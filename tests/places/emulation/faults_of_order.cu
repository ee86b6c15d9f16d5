// Planted faults: barriers that some threads miss, and unordered
// accesses.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "gpu/overlap.hpp"
#include "places/emulation/planted.hpp"

namespace cg = cooperative_groups;
using planted::Bench;

namespace {

__device__ int global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- barriers

__global__ void divergent_barrier(const float* in, float* out, int n) {
  const int i = global_index();
  if (threadIdx.x < 16) {
    __syncthreads();  // wrong
  } else {
    __syncthreads();  // wrong
  }
  if (i < n) out[i] = in[i];
}
FAULT(divergent_barrier, launch_failed,
      "divergent_barrier; thread_waits threads (0,0) to (15,0) __syncthreads",
      "thread_waits threads (16,0) to (31,0) __syncthreads");

// The other half of the warp ends up at the next barrier.
__global__ void barrier_in_a_branch(const float* in, float* out, int n) {
  const int i = global_index();
  if (threadIdx.x % 32 < 16) __syncthreads();  // wrong
  if (i < n) out[i] = in[i];
  __syncthreads();
}
FAULT(barrier_in_a_branch, launch_failed,
      "thread_waits threads (0,0) to (15,0) __syncthreads");

__global__ void barrier_of_some(const float* in, float* out, int n) {
  const int i = global_index();
  if (threadIdx.x < 16) __syncthreads();  // wrong
  if (i < n) out[i] = in[i];
}
FAULT(barrier_of_some, launch_failed,
      "divergent_barrier; thread_waits threads (0,0) to (15,0) __syncthreads",
      "thread_passed_by threads (16,0) to (31,0)");

__global__ void barrier_of_one_warp(const float* in, float* out, int n) {
  const int i = global_index();
  if (threadIdx.x / 32 == 1) __syncthreads();  // wrong
  if (i < n) out[i] = in[i];
}
FAULT(barrier_of_one_warp, launch_failed,
      "thread_waits threads (32,0) to (63,0)")
    .at(100, 64);

__global__ void barrier_and_shuffle(const float* in, float* out, int n) {
  const int i = global_index();
  float v = i < n ? in[i] : 0;
  if (threadIdx.x == 3) {
    __syncthreads();  // wrong
  } else {
    v = __shfl_sync(0xffffffff, v, 0);  // wrong
  }
  if (i < n) out[i] = v;
}
FAULT(barrier_and_shuffle, launch_failed,
      "thread_waits threads (0,0) to (2,0) __shfl_sync",
      "thread_waits thread (3,0) __syncthreads",
      "thread_waits threads (4,0) to (31,0) __shfl_sync");

__global__ void grid_barrier_missed(const float* in, float* middle, float* out,
                                    int n) {
  const int i = global_index();
  if (i < n) middle[i] = in[i];
  if (blockIdx.x != 0) cg::this_grid().sync();
  if (i < n) out[i] = middle[i];
}
PLANTED(__LINE__, {"grid_barrier_missed",
                   planted::Kind::fault,
                   planted::cooperative(grid_barrier_missed),
                   0,
                   parlab::Verdict::launch_failed,
                   {"grid_barrier_missed"}});

__global__ void grid_barrier_of_some(const float* in, float* middle, float* out,
                                     int n) {
  const int i = global_index();
  if (i >= n) return;
  middle[i] = in[i];
  cg::this_grid().sync();  // wrong
  out[i] = middle[n - 1 - i];
}
PLANTED(__LINE__, {"grid_barrier_of_some",
                   planted::Kind::fault,
                   planted::cooperative(grid_barrier_of_some),
                   0,
                   parlab::Verdict::launch_failed,
                   {"grid barrier"}});

__global__ void plain_launch_with_grid_barrier(const float* in, float* middle,
                                               float* out, int n) {
  const int i = global_index();
  if (i < n) middle[i] = in[i];
  cg::this_grid().sync();  // wrong
  if (i < n) out[i] = middle[n - 1 - i];
}
FAULT(plain_launch_with_grid_barrier, launch_failed,
      "not_cooperative grid barrier");

// Found as a race, or as unwritten memory if the other block had no turn so
// far.
__global__ void missing_grid_barrier(const float* in, float* middle, float* out,
                                     int n) {
  const int i = global_index();
  if (i < n) middle[i] = in[i];
  __syncthreads();
  if (i < n) out[i] = middle[n - 1 - i];  // wrong
}
FAULT(missing_grid_barrier, wrong_result, "reads scratch 1[");

// ---- races in shared memory

__global__ void missing_barrier(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int first = blockIdx.x * blockDim.x;
  const int count = min(static_cast<int>(blockDim.x), n - first);
  const int t = threadIdx.x;
  tile[t] = 0;
  __syncthreads();
  if (t < count) tile[t] = in[first + t];               // wrong
  if (t < count) out[first + t] = tile[count - 1 - t];  // wrong
}
FAULT(missing_barrier, wrong_result, "static shared memory", "race_in_warp");

// The next step overwrites words that others still read.
__global__ void missing_second_barrier(const float* in, float* out, int n) {
  __shared__ float tile[32];
  float sum = 0;
  for (int first = 0; first < n; first += 32) {
    // wrong
    tile[threadIdx.x] =
        first + static_cast<int>(threadIdx.x) < n ? in[first + threadIdx.x] : 0;
    __syncthreads();
    sum += tile[31 - threadIdx.x];  // wrong
  }
  out[threadIdx.x] = sum;
}
FAULT(missing_second_barrier, wrong_result, "static shared memory", "race_");

__global__ void reduction_without_barrier(const float* in, float* out, int n) {
  __shared__ float sums[64];
  const int t = threadIdx.x;
  sums[t] = global_index() < n ? in[global_index()] : 0;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];  // wrong
  }
  if (t == 0) atomicAdd(out, sums[0]);
}
FAULT(reduction_without_barrier, wrong_result, "static shared memory", "race_")
    .at(100, 64);

__global__ void missing_syncwarp(const float* in, float* out, int n) {
  volatile float* tile = shared_memory<float>();
  const int i = global_index();
  tile[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  const int t = threadIdx.x;
  if (t < 16) tile[t] = tile[t] + tile[t + 16];  // wrong
  if (t < 8) tile[t] = tile[t] + tile[t + 8];    // wrong
  if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}
FAULT(missing_syncwarp, wrong_result, "dynamic shared memory", "race_in_warp");

__global__ void shared_histogram(const float* in, float* out, int n) {
  __shared__ int bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  // wrong
  if (global_index() < n) ++bins[static_cast<int>(in[global_index()])];
  __syncthreads();
  if (threadIdx.x < 4)
    atomicAdd(&out[threadIdx.x], static_cast<float>(bins[threadIdx.x]));
}
FAULT(shared_histogram, wrong_result, "static shared memory", "race_");

__global__ void cleared_without_barrier(const float* in, float* out, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;                    // wrong
  if (in[threadIdx.x % n] > 0) atomicAdd(&count, 1);  // wrong
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<float>(count);
}
FAULT(cleared_without_barrier, wrong_result, "static shared memory");

__global__ void one_buffer_for_two(const float* in, float* out, int n) {
  __shared__ float buffer[2][32];
  const int t = threadIdx.x;
  buffer[0][t] = in[t];
  __syncthreads();
  float sum = 0;
  for (int step = 0; step < 3; ++step) {
    sum += buffer[0][31 - t];  // wrong
    // wrong
    if (32 * (step + 1) + t < n) buffer[0][t] = in[32 * (step + 1) + t];
    __syncthreads();
  }
  out[t] = sum;
}
FAULT(one_buffer_for_two, wrong_result, "static shared memory", "race_");

__global__ void every_lane_its_own(const float* in, float* out, int n) {
  __shared__ float last;
  if (global_index() < n) last = in[global_index()];  // wrong
  __syncthreads();
  if (global_index() < n) out[global_index()] = last;
}
FAULT(every_lane_its_own, wrong_result, "static shared memory",
      "race_of_updates");

__global__ void tile_barrier_for_block(const float* in, float* out, int n) {
  __shared__ float values[64];
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  values[threadIdx.x] = in[threadIdx.x % n];  // wrong
  tile.sync();
  // wrong
  if (global_index() < n) out[global_index()] = values[63 - threadIdx.x];
}
FAULT(tile_barrier_for_block, wrong_result, "static shared memory").at(100, 64);

__global__ void missing_pipeline_wait(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int i = global_index();
  if (i < n) __pipeline_memcpy_async(&tile[threadIdx.x], &in[i], sizeof(float));
  __pipeline_commit();
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x];  // wrong
}
FAULT(missing_pipeline_wait, wrong_result, "never_written");

__global__ void waits_for_too_little(const float* in, float* out, int n) {
  __shared__ float tile[2][32];
  const int t = threadIdx.x;
  for (int step = 0; step < 2; ++step) {
    __pipeline_memcpy_async(&tile[step][t], &in[32 * step + t], sizeof(float));
    __pipeline_commit();
  }
  __pipeline_wait_prior(1);
  if (n > 64) out[t] = tile[0][t] + tile[1][t];  // wrong
}
FAULT(waits_for_too_little, wrong_result, "never_written");

__global__ void pipeline_without_barrier(const float* in, float* out, int n) {
  __shared__ float tile[32];
  const int t = threadIdx.x;
  tile[t] = 0;
  __syncthreads();
  if (global_index() < n)
    __pipeline_memcpy_async(&tile[t], &in[global_index()], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);                                   // wrong
  if (global_index() < n) out[global_index()] = tile[t ^ 1];  // wrong
}
FAULT(pipeline_without_barrier, wrong_result, "static shared memory", "race_");

// ---- races in global memory

__global__ void plain_add(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) *out += in[i];  // wrong
}
FAULT(plain_add, wrong_result, "race_of_updates updates out[0]");

__global__ void plain_add_by_blocks(const float* in, float* out, int n) {
  const int i = global_index();
  if (threadIdx.x == 0 && i < n) *out += in[i];  // wrong
}
FAULT(plain_add_by_blocks, wrong_result, "race_of_updates updates out[0]");

__global__ void plain_histogram(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[static_cast<int>(in[i])] += 1;  // wrong
}
FAULT(plain_histogram, wrong_result, "race_of_updates updates out[");

__global__ void stencil_in_place(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i];  // wrong
  __syncthreads();
  if (i > 0 && i < n) out[i] = (out[i] + out[i - 1]) / 2;  // wrong
}
FAULT(stencil_in_place, wrong_result, "race_");

__global__ void waits_for_its_neighbour(const float* in, float* out, int n) {
  const int i = global_index();
  if (threadIdx.x != 0 || i >= n) return;
  const float before = blockIdx.x > 0 ? out[blockIdx.x - 1] : 0;  // wrong
  out[blockIdx.x] = before + in[i] + 1;                           // wrong
}
FAULT(waits_for_its_neighbour, wrong_result, "out[", "race_of_blocks");

__global__ void overlapping_pieces(const float* in, float* out, int n) {
  for (int i = 0; i < 5; ++i) {
    // wrong
    if (4 * global_index() + i < n)
      out[4 * global_index() + i] = in[i] + global_index();
  }
}
FAULT(overlapping_pieces, wrong_result, "writes out[", "race_");

__global__ void atomics_of_some(const float* in, float* out, int n) {
  const int i = global_index();
  if (i >= n) return;
  if (i % 2 == 0) {
    atomicAdd(out, in[i]);  // wrong
  } else {
    *out += in[i];  // wrong
  }
}
FAULT(atomics_of_some, wrong_result, "out[0]", "race_");

__global__ void volatile_flag(const float* in, float* middle, unsigned* zero,
                              float* out, int n) {
  volatile unsigned* const flag = zero;
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    middle[0] = in[3];  // wrong
    *flag = 1;          // wrong
  }
  // wrong
  if (threadIdx.x == 0 && blockIdx.x == 1 && *flag != 0) out[0] = middle[0];
  if (n < 0) *flag = 0;
}
FAULT(volatile_flag, wrong_result, "scratch ", "race_");

// ---- the last block adds up

__global__ void last_block_without_fence(const float* in, float* partial,
                                         unsigned* done, float* out, int n) {
  const int i = global_index();
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = i < n ? in[i] : 0;
  if (atomicInc(done, gridDim.x - 1) != gridDim.x - 1) return;
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b)
    sum += partial[b];  // wrong
  *out = sum;
}
FAULT(last_block_without_fence, wrong_result, "scratch 1[", "race_");

__global__ void last_block_fence_too_late(const float* in, float* partial,
                                          unsigned* done, float* out, int n) {
  const int i = global_index();
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = i < n ? in[i] : 0;
  const bool last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  __threadfence();
  if (!last) return;
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b)
    sum += partial[b];  // wrong
  *out = sum;
}
FAULT(last_block_fence_too_late, wrong_result, "scratch 1[", "race_");

__global__ void last_block_fence_of_block(const float* in, float* partial,
                                          unsigned* done, float* out, int n) {
  const int i = global_index();
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = i < n ? in[i] : 0;
  __threadfence_block();  // wrong
  if (atomicInc(done, gridDim.x - 1) != gridDim.x - 1) return;
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b)
    sum += partial[b];  // wrong
  *out = sum;
}
FAULT(last_block_fence_of_block, wrong_result, "scratch 1[", "race_");

__global__ void lock_without_fence(const float* in, float* out, unsigned* taken,
                                   int n) {
  for (bool done = false; !done;) {
    if (atomicCAS(taken, 0u, 1u) != 0) continue;
    *out += in[threadIdx.x % n];  // wrong
    atomicExch(taken, 0u);
    done = true;
  }
}
FAULT(lock_without_fence, wrong_result, "out[0]", "race_");

// Each thread of the last block reads only what it wrote itself; kernels differ
// in how they release it.
template <typename Release>
__device__ void write_and_add_up(const float* in, float* partial,
                                 unsigned* done, float* out, int n,
                                 Release release) {
  __shared__ bool last;
  const int i = global_index();
  release(i < n ? &partial[i] : nullptr, i < n ? in[i] : 0);
  if (threadIdx.x == 0) last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  for (int at = threadIdx.x; at < n; at += blockDim.x)
    out[at] = partial[at];  // wrong
  if (threadIdx.x == 0) *done = 0;
}

__global__ void fence_of_one_thread(const float* in, float* partial,
                                    unsigned* done, float* out, int n) {
  write_and_add_up(in, partial, done, out, n, [](float* to, float value) {
    if (to != nullptr) *to = value;
    if (threadIdx.x == 0) __threadfence();
    __syncthreads();
  });
}
FAULT(fence_of_one_thread, wrong_result, "scratch 1[", "race_");

__global__ void fence_before_the_write(const float* in, float* partial,
                                       unsigned* done, float* out, int n) {
  write_and_add_up(in, partial, done, out, n, [](float* to, float value) {
    __threadfence();
    if (to != nullptr) *to = value;
    __syncthreads();
  });
}
FAULT(fence_before_the_write, wrong_result, "scratch 1[", "race_");

__global__ void fence_without_barrier(const float* in, float* partial,
                                      unsigned* done, float* out, int n) {
  write_and_add_up(in, partial, done, out, n, [](float* to, float value) {
    if (to != nullptr) *to = value;
    __threadfence();
  });
}
FAULT(fence_without_barrier, wrong_result, "scratch 1[");

__global__ void counter_reset_by_all(const float* in, float* partial,
                                     unsigned* done, float* out, int n) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = in[blockIdx.x];
  __threadfence();
  if (atomicAdd(done, 1u) == gridDim.x - 1) {  // wrong
    for (unsigned b = 0; b < gridDim.x; ++b)
      *out += partial[b];
  }
  if (n > 0) *done = 0;  // wrong
}
FAULT(counter_reset_by_all, wrong_result, "scratch 2[0]", "race_");

// ---- launches that overlap

__global__ void twice(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = 2 * in[i];
}

// After `twice`: adds 1 to what it wrote.
template <typename Wait>
__device__ void add_one(const float* in, float* out, int n, Wait wait) {
  const int i = global_index();
  wait(i);
  if (i < n) out[i] += in[0] + 1;  // wrong
}
__global__ void adds_after_waiting(const float* in, float* out, int n) {
  add_one(in, out, n, [](int) { parlab::wait_for_launch_before(); });
}
__global__ void adds_at_once(const float* in, float* out, int n) {
  add_one(in, out, n, [](int) {});
  parlab::wait_for_launch_before();
}
__global__ void adds_after_others_waited(const float* in, float* out, int n) {
  add_one(in, out, n, [](int i) {
    if (i % 32 == 0) parlab::wait_for_launch_before();
    __syncthreads();
  });
}
// Requests its copy too early, although the copy itself comes later.
__global__ void copies_before_waiting(const float* in, float* out, int n) {
  __shared__ float tile[32];
  const int i = global_index();
  if (i < n)
    __pipeline_memcpy_async(&tile[threadIdx.x], &out[i], sizeof(float));
  __pipeline_commit();
  parlab::wait_for_launch_before();
  __pipeline_wait_prior(0);  // wrong
  if (i < n) out[i] = tile[threadIdx.x] + in[0] + 1;
}
__global__ void never_waits(const float*, float*, int) {}

std::function<void(const Bench&)> overlapping(void (*kernel)(const float*,
                                                             float*, int)) {
  return [=](const Bench& bench) {
    auto config = bench.config();
    bench.gpu.launch(config, twice, bench.in, bench.out, bench.n);
    config.overlaps = true;
    bench.gpu.launch(config, kernel, bench.in, bench.out, bench.n);
  };
}
planted::Case fault_of_overlap(const char* name,
                               void (*kernel)(const float*, float*, int),
                               const std::vector<std::string>& words) {
  return {name, planted::Kind::fault,          overlapping(kernel),
          0,    parlab::Verdict::wrong_result, words};
}
const std::vector<std::string> too_early{"race_of_launches reads out["};

const planted::Add waits =
    planted::Case{"adds_after_waiting", planted::Kind::right,
                  overlapping(adds_after_waiting), 400};
const planted::Add at_once =
    fault_of_overlap("adds_at_once", adds_at_once, too_early);
const planted::Add by_copies =
    fault_of_overlap("copies_before_waiting", copies_before_waiting, too_early);
const planted::Add by_others = fault_of_overlap(
    "adds_after_others_waited", adds_after_others_waited, {"launch"});
const planted::Add never =
    fault_of_overlap("never_waits", never_waits, {"never_waits_for_launch"});

}  // namespace
