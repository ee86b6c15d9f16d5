// Kernels with planted faults, each the mistake a student makes, and their clean counterparts.
#include "places/emulation/emulation_faults.hpp"

#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>

namespace cg = cooperative_groups;
using parlab::ceil_div;
using parlab::EmulatedGpu;

// ---- clean kernels
// -------------------------------------------------------------------------------

__global__ void clean_copy(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// Reverses each block's piece through static shared memory.
__global__ void clean_shared(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int first = blockIdx.x * blockDim.x;
  const int count = min(static_cast<int>(blockDim.x), n - first);
  const int t = threadIdx.x;
  if (t < count) tile[t] = in[first + t];
  __syncthreads();
  if (t < count) out[first + t] = tile[count - 1 - t];
}

__global__ void clean_warp_sum(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < n ? in[i] : 0;
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

// Lanes talk through shared memory, ordered by __syncwarp alone.
__global__ void clean_syncwarp(const float* in, float* out, int n) {
  float* tile = shared_memory<float>();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int t = threadIdx.x;
  tile[t] = i < n ? in[i] : 0;
  __syncwarp();
  const float neighbour = tile[t ^ 1];
  __syncwarp();
  tile[t] = neighbour;
  if (i < n) out[i] = tile[t];
}

// The last block to finish adds up what the others left: __threadfence and an atomic counter.
__global__ void clean_last_block(const float* in, float* partial, unsigned* done, float* out,
                                 int n) {
  __shared__ float sums[1024];
  __shared__ bool last;
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  sums[t] = i < n ? in[i] : 0;
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
  for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];
  *out = sum;
}

// All blocks write, all meet, each reads what another one wrote.
__global__ void clean_grid_sync(const float* in, float* middle, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) middle[i] = in[i];
  cg::this_grid().sync();
  if (i < n) out[i] = middle[n - 1 - i];
}

__global__ void clean_histogram(const float* in, int* bins, int n) {
  __shared__ int local[4];
  if (threadIdx.x < 4) local[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&local[static_cast<int>(in[i]) % 4], 1);
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void clean_groups(const float* in, float* out, int n) {
  __shared__ float sums[1024];
  const auto block = cg::this_thread_block();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[block.thread_rank()] = i < n ? in[i] : 0;
  block.sync();
  if (block.thread_rank() == 0) atomicAdd(out, std::accumulate(sums, sums + block.size(), 0.0f));
}

__global__ void clean_pipeline(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) __pipeline_memcpy_async(&tile[threadIdx.x], &in[i], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const unsigned other = threadIdx.x ^ 1;
  if (i < n) out[i] = (i ^ 1) < n ? tile[other] : tile[threadIdx.x];
}

__global__ void clean_vectors(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  const float4 v = __ldg(reinterpret_cast<const float4*>(in) + i);
  reinterpret_cast<float4*>(out)[i] = make_float4(v.w, v.z, v.y, v.x);
}

// A thread waits for another one of its block: it must not starve it.
__global__ void clean_spin(const float*, float* out, unsigned* flag, int) {
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0u) != blockDim.x - 1) {
    }
    *out = static_cast<float>(atomicExch(flag, 0u));
  } else {
    atomicAdd(flag, 1u);
  }
}

// ---- planted faults
// ------------------------------------------------------------------------------

__global__ void off_by_one(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = in[min(i, n - 1)];
}

__global__ void tail_not_handled(const float* in, float* out, int) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

// An address between arrays that are far apart.
__global__ void wild_index(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i - 300000];
}

__global__ void missing_barrier(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int first = blockIdx.x * blockDim.x;
  const int count = min(static_cast<int>(blockDim.x), n - first);
  const int t = threadIdx.x;
  tile[t] = 0;
  __syncthreads();
  if (t < count) tile[t] = in[first + t];
  if (t < count) out[first + t] = tile[count - 1 - t];
}

__global__ void missing_syncwarp(const float* in, float* out, int n) {
  volatile float* tile = shared_memory<float>();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  const int t = threadIdx.x;
  if (t < 16) tile[t] = tile[t] + tile[t + 16];
  if (t < 8) tile[t] = tile[t] + tile[t + 8];
  if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}

__global__ void divergent_barrier(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  if (i < n) out[i] = in[i];
}

// The other half of the warp ends up at the next barrier.
__global__ void barrier_in_a_branch(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 < 16) __syncthreads();
  if (i < n) out[i] = in[i];
  __syncthreads();
}

__global__ void barrier_and_shuffle(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0;
  if (threadIdx.x == 3) {
    __syncthreads();
  } else {
    v = __shfl_sync(0xffffffff, v, 0);
  }
  if (i < n) out[i] = v;
}

__global__ void unwritten_shared(const float* in, float* out, int n) {
  __shared__ float sum[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[threadIdx.x % 32] += in[i];
  __syncthreads();
  if (i < n) out[i] = sum[threadIdx.x % 32];
}

__global__ void unwritten_output(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += in[i];
}

__global__ void inactive_lane(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;  // the last lanes of the last warp are gone
  float sum = in[i];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

__global__ void lane_not_in_mask(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = __shfl_sync(0x0000ffff, i < n ? in[i] : 0.0f, 0);
  if (i < n) out[i] = v;
}

__global__ void plain_add(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *out += in[i];
}

__global__ void plain_add_by_blocks(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0 && i < n) *out += in[i];
}

__global__ void last_block_without_fence(const float* in, float* partial, unsigned* done,
                                         float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = i < n ? in[i] : 0;
  if (atomicInc(done, gridDim.x - 1) != gridDim.x - 1) return;
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];
  *out = sum;
}

__global__ void last_block_fence_too_late(const float* in, float* partial, unsigned* done,
                                          float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = i < n ? in[i] : 0;
  const bool last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  __threadfence();
  if (!last) return;
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];
  *out = sum;
}

__global__ void writes_input(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = const_cast<float*>(in)[i] = 1;
}

__global__ void shared_index(const float* in, float* out, int n) {
  __shared__ float tile[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x];
}

__global__ void dynamic_shared_too_small(const float* in, float* out, int n) {
  float* tile = shared_memory<float>();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x + 1] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x + 1];
}

__global__ void misaligned_vector(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4 - 1) return;
  const float4 v = *reinterpret_cast<const float4*>(in + 4 * i + 1);
  out[i] = v.x;
}

__global__ void host_pointer(const float* in, float* out, int n, const float* host) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + host[i];
}

__global__ void never_ends(const float*, float*, unsigned* flag, int) {
  while (atomicAdd(flag, 0u) == 0) {
  }
}

__global__ void grid_barrier_missed(const float* in, float* middle, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) middle[i] = in[i];
  if (blockIdx.x != 0) cg::this_grid().sync();
  if (i < n) out[i] = middle[i];
}

__global__ void missing_grid_barrier(const float* in, float* middle, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) middle[i] = in[i];
  __syncthreads();
  if (i < n) out[i] = middle[n - 1 - i];
}

__global__ void missing_pipeline_wait(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) __pipeline_memcpy_async(&tile[threadIdx.x], &in[i], sizeof(float));
  __pipeline_commit();
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x];
}

// ---- how to run them
// -----------------------------------------------------------------------------

namespace planted {
namespace {

using Simple = void (*)(const float*, float*, int);
using Middle = void (*)(const float*, float*, float*, int);
using Counted = void (*)(const float*, float*, unsigned*, float*, int);
using Flag = void (*)(const float*, float*, unsigned*, int);

const std::map<std::string, Simple> simple{
#define CASE(name) {#name, name}
    CASE(clean_copy),          CASE(clean_shared),
    CASE(clean_warp_sum),      CASE(clean_syncwarp),
    CASE(clean_groups),        CASE(clean_pipeline),
    CASE(clean_vectors),       CASE(off_by_one),
    CASE(tail_not_handled),    CASE(wild_index),
    CASE(missing_barrier),     CASE(missing_syncwarp),
    CASE(divergent_barrier),   CASE(barrier_in_a_branch),
    CASE(barrier_and_shuffle), CASE(unwritten_shared),
    CASE(unwritten_output),    CASE(inactive_lane),
    CASE(lane_not_in_mask),    CASE(plain_add),
    CASE(plain_add_by_blocks), CASE(writes_input),
    CASE(shared_index),        CASE(dynamic_shared_too_small),
    CASE(misaligned_vector),   CASE(missing_pipeline_wait)};
const std::map<std::string, Middle> middle{CASE(clean_grid_sync), CASE(grid_barrier_missed),
                                           CASE(missing_grid_barrier)};
const std::map<std::string, Counted> counted{CASE(clean_last_block), CASE(last_block_without_fence),
                                             CASE(last_block_fence_too_late)};
const std::map<std::string, Flag> flagged{CASE(clean_spin), CASE(never_ends)};
#undef CASE

}  // namespace

double run(EmulatedGpu& gpu, const std::string& name, int n, int block) {
  const auto in = gpu.allocate("in", n * sizeof(float), parlab::emulation::Kind::input);
  const auto out = gpu.allocate("out", n * sizeof(float), parlab::emulation::Kind::output);
  float* const a = reinterpret_cast<float*>(in->data);
  float* const y = reinterpret_cast<float*>(out->data);
  for (int i = 0; i < n; ++i) a[i] = static_cast<float>(i % 4);
  const bool into_zero = name != "unwritten_output" && name != "clean_copy";
  if (into_zero) gpu.clear(y, n * sizeof(float));
  gpu.begin_run();
  parlab::LaunchConfig config{.grid = {ceil_div(n, block)}, .block = {block}};
  config.shared_bytes = static_cast<std::size_t>(block) * sizeof(float);
  if (simple.count(name) != 0) {
    gpu.launch(config, simple.at(name), a, y, n);
  } else if (middle.count(name) != 0) {
    config.cooperative = true;
    gpu.launch(config, middle.at(name), a, gpu.scratch<float>(n), y, n);
  } else if (counted.count(name) != 0) {
    auto* const partial = gpu.scratch<float>(config.grid.x);
    gpu.launch(config, counted.at(name), a, partial, gpu.zeroed_scratch<unsigned>(1), y, n);
  } else if (flagged.count(name) != 0) {
    config.grid = {1};
    gpu.launch(config, flagged.at(name), a, y, gpu.zeroed_scratch<unsigned>(1), n);
  } else if (name == "host_pointer") {
    const std::vector<float> host(static_cast<std::size_t>(n));
    gpu.launch(config, host_pointer, a, y, n, host.data());
  } else if (name == "clean_histogram") {
    int* const bins = reinterpret_cast<int*>(y);
    gpu.launch(config, clean_histogram, a, bins, n);
    return std::accumulate(bins, bins + 4, 0.0);
  } else {
    throw std::logic_error("no case is called " + name);
  }
  return std::accumulate(y, y + n, 0.0);
}

void launch_with_block(EmulatedGpu& gpu, int threads) {
  const parlab::LaunchConfig config{.grid = {1}, .block = {threads}};
  gpu.launch(config, clean_copy, nullptr, nullptr, 0);
}

}  // namespace planted
