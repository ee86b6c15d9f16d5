// Planted faults: lanes that do not take part, undefined arithmetic, kernels
// that do not end.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "places/emulation/planted.hpp"

namespace cg = cooperative_groups;

namespace {

__device__ int global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- lanes

__global__ void inactive_lane(const float* in, float* out, int n) {
  const int i = global_index();
  if (i >= n) return;  // the last lanes of the last warp are gone
  float sum = in[i];
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, lanes);  // wrong
  }
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
FAULT(inactive_lane, wrong_result, "block (3,0)",
      "lane_absent __shfl_down_sync", "lane_absent");

__global__ void lane_not_in_mask(const float* in, float* out, int n) {
  const int i = global_index();
  const float v = __shfl_sync(0x0000ffff, i < n ? in[i] : 0.0f, 0);  // wrong
  if (i < n) out[i] = v;
}
FAULT(lane_not_in_mask, wrong_result, "lane_not_in_mask");

__global__ void reads_beyond_the_mask(const float* in, float* out, int n) {
  const int i = global_index();
  float v = i < n ? in[i] : 0;
  if (threadIdx.x < 8) v = __shfl_sync(0xff, v, 8 + threadIdx.x);  // wrong
  if (i < n) out[i] = v;
}
FAULT(reads_beyond_the_mask, wrong_result, "lane_absent");

__global__ void all_lanes_in_a_branch(const float* in, float* out, int n) {
  const int i = global_index();
  float v = i < n ? in[i] : 0;
  if (threadIdx.x < 16) v += __shfl_xor_sync(0xffffffff, v, 1);  // wrong
  __syncwarp();
  if (i < n) out[i] = v;
}
FAULT(all_lanes_in_a_branch, launch_failed,
      "thread_waits threads (0,0) to (15,0) __shfl_xor_sync",
      "thread_waits threads (16,0) to (31,0) __syncwarp");

__global__ void masks_differ(const float* in, float* out, int n) {
  const int i = global_index();
  const unsigned mask = threadIdx.x < 16 ? 0xffffffff : 0xffff0000;
  const float v = __shfl_xor_sync(mask, i < n ? in[i] : 0.0f, 1);  // wrong
  __syncwarp();                                                    // wrong
  if (i < n) out[i] = v;
}
FAULT(masks_differ, launch_failed,
      "thread_waits threads (0,0) to (15,0) __shfl_xor_sync");

__global__ void syncwarp_of_others(const float* in, float* out, int n) {
  const int i = global_index();
  __syncwarp(threadIdx.x < 16 ? 0xffff0000 : 0x0000ffff);  // wrong
  if (i < n) out[i] = in[i];
}
FAULT(syncwarp_of_others, wrong_result, "lane_not_in_mask");

__global__ void ballot_in_uneven_loop(const float* in, float* out, int n) {
  int votes = 0;
  for (int i = 0; i <= static_cast<int>(threadIdx.x % 2); ++i) {
    votes += __popc(__ballot_sync(0xffffffff, in[i] > 0));  // wrong
  }
  __syncthreads();
  if (global_index() < n) out[global_index()] = static_cast<float>(votes);
}
FAULT(ballot_in_uneven_loop, launch_failed, "__ballot_sync", "__syncthreads");

__global__ void active_lanes_only(const float* in, float* out, int n) {
  const int i = global_index();
  float v = i < n ? in[i] : 0;
  if (threadIdx.x < 16) v += __shfl_down_sync(__activemask(), v, 16);  // wrong
  if (i < n) out[i] = v;
}
FAULT(active_lanes_only, wrong_result, "lane_absent");

__global__ void reduces_returned_lanes(const float* in, float* out, int n) {
  const int i = global_index();
  if (i >= n) return;
  // wrong
  const int sum = __reduce_add_sync(0xffffffff, static_cast<int>(in[i]));
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<float>(sum);
}
FAULT(reduces_returned_lanes, wrong_result, "lane_absent");

__global__ void tile_of_half_a_warp(const float* in, float* out, int n) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  // wrong
  const float sum = cg::reduce(tile, in[threadIdx.x], cg::plus<float>());
  if (n > 0 && threadIdx.x == 0) out[blockIdx.x] = sum;
}
FAULT(tile_of_half_a_warp, wrong_result, "lane_absent __shfl_sync 16")
    .at(96, 16);

__global__ void tile_in_a_branch(const float* in, float* out, int n) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  float v = in[threadIdx.x];
  if (threadIdx.x % 8 < 4) v = tile.shfl_xor(v, 1);  // wrong
  __syncthreads();
  if (global_index() < n) out[global_index()] = v;
}
FAULT(tile_in_a_branch, launch_failed, "__shfl_sync", "__syncthreads");

// ---- arithmetic

__global__ void divides_by_zero(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = static_cast<float>(n / static_cast<int>(in[i]));  // wrong
}
FAULT(divides_by_zero, wrong_result, "division_by_zero");

__global__ void shifts_too_far(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i] * (1 << (threadIdx.x + 16));  // wrong
}
FAULT(shifts_too_far, wrong_result, "shift_too_far");

__global__ void asserts(const float* in, float* out, int n) {
  const int i = global_index();
  assert(i < n);  // wrong
  out[i] = in[i];
}
FAULT(asserts, launch_failed, "block (3,0)", "assertion_failed i < n");

__global__ void traps(const float* in, float* out, int n) {
  const int i = global_index();
  if (i >= n) __trap();  // wrong
  if (i < n) out[i] = in[i];
}
FAULT(traps, launch_failed, "block (3,0)", "trapped");

// ---- without end

__global__ void never_ends(const float*, float*, unsigned* flag, int) {
  while (atomicAdd(flag, 0u) == 0) {  // wrong
  }
}
FAULT(never_ends, timed_out, "endless");

__global__ void reads_without_end(const float* in, float* out, int) {
  const volatile float* first = in;
  while (*first == 0) {  // wrong
  }
  *out = 1;
}
FAULT(reads_without_end, timed_out, "endless");

// The lock is never released.
__global__ void lock_without_key(const float* in, float* out, unsigned* lock,
                                 int n) {
  if (threadIdx.x != 0 || global_index() >= n) return;
  while (atomicCAS(lock, 0u, 1u) != 0) {  // wrong
  }
  out[blockIdx.x] = in[global_index()];
}
FAULT(lock_without_key, timed_out, "endless");

}  // namespace
