// Planted faults in constructs of textbooks, samples and forums: own memory,
// copies, groups, pipelines, tiles of wmma, and behaviour undefined since
// Volta.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "places/emulation/planted.hpp"

namespace cg = cooperative_groups;
using namespace nvcuda;
using planted::Bench;

namespace {

__device__ int global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
__global__ void copies_all(float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i];  // wrong
}

// ---- warps that are not in step

__global__ void volatile_sums(const float* in, float* out, int n) {
  __shared__ float place[64];
  const int me = threadIdx.x;
  place[me] = in[me % n];
  __syncthreads();
  if (me < 32) {
    volatile float* v = place;
    v[me] = v[me] + v[me + 32];  // wrong
    v[me] = v[me] + v[me + 16];  // wrong
    v[me] = v[me] + v[me + 8];   // wrong
  }
  if (me == 0) out[blockIdx.x] = place[0];  // wrong
}
FAULT(volatile_sums, wrong_result, "race_in_warp", "static shared memory")
    .at(100, 64);
__global__ void tile_without_sync(const float* in, float* out, int n) {
  __shared__ float place[32];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int i = global_index();
  place[threadIdx.x] = i < n ? in[i] : 0;  // wrong
  if (i < n)
    out[i] =
        place[tile.meta_group_rank() * 16 + (tile.thread_rank() ^ 1)];  // wrong
}
FAULT(tile_without_sync, wrong_result, "static shared memory");
__global__ void neighbour_in_warp(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i];                               // wrong
  if (i + 1 < n && threadIdx.x < 31) out[i] = out[i + 1];  // wrong
}
FAULT(neighbour_in_warp, wrong_result, "race_in_warp", "out[");
__global__ void all_read_one(const float* in, float* out, int n) {
  const int i = global_index();
  if (threadIdx.x == 0) out[blockIdx.x] = in[0] + 1;  // wrong
  if (i < n && out[blockIdx.x] > 9) __trap();         // wrong
}
FAULT(all_read_one, wrong_result, "race_in_warp");
// A barrier between the lines would help.
__global__ void tile_too_early(const float* in, float* out, int n) {
  __shared__ float tile[64];
  const int i = global_index(), t = static_cast<int>(threadIdx.x);
  tile[t] = i < n ? in[i] : 0;
  if (i < n) out[i] = tile[(t + 40) % 64];  // wrong
}
FAULT(tile_too_early, wrong_result, "never_written_in_block", "written_later")
    .at(128, 64);

// ---- barriers

__global__ void some_sync(const float* in, float* out, int n) {
  const int i = global_index();
  if (threadIdx.x < 16) __syncthreads();  // wrong
  if (i < n) out[i] = in[i];
}
FAULT(some_sync, launch_failed, "thread_passed_by threads (16,0) to (31,0)");
__global__ void group_syncs_in_branch(const float* in, float* out, int n) {
  const auto block = cg::this_thread_block();
  const int i = global_index();
  if (block.thread_rank() % 2 == 0) {
    block.sync();  // wrong
  }
  if (i < n) out[i] = in[i];
}
FAULT(group_syncs_in_branch, launch_failed, "divergent_barrier");
__global__ void early_return_of_grid(const float* in, float* middle, float* out,
                                     int n) {
  const int i = global_index();
  if (i >= n) return;
  middle[i] = in[i];
  cg::this_grid().sync();  // wrong
  out[i] = middle[n - 1 - i];
}
PLANTED(__LINE__, {"early_return_of_grid",
                   planted::Kind::fault,
                   planted::cooperative(early_return_of_grid),
                   0,
                   parlab::Verdict::launch_failed,
                   {"thread_ended"}});
__global__ void returns_before_shuffle(const float* in, float* out, int n) {
  const int i = global_index();
  if (i >= n) return;
  float own = in[i];
  for (int by = 16; by > 0; by /= 2)
    own += __shfl_down_sync(0xffffffff, own, by);  // wrong
  if (threadIdx.x == 0) out[blockIdx.x] = own;
}
FAULT(returns_before_shuffle, wrong_result, "lane_absent");
__global__ void too_few_arrive(const float* in, float* out, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x + 1);
  __syncthreads();
  bar.arrive_and_wait();
  if (global_index() < n) out[global_index()] = in[global_index()];
}
FAULT(too_few_arrive, launch_failed, "waits_for_ever 1");
__global__ void arrives_unprepared(const float* in, float* out, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  bar.arrive_and_wait();
  if (global_index() < n) out[global_index()] = in[global_index()];
}
FAULT(arrives_unprepared, launch_failed, "barrier_not_initialised");

// ---- copies that nothing waits for

__global__ void group_never_waits(const float* in, float* out, int) {
  __shared__ float tile[32];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in + blockIdx.x * 32, 128);
  block.sync();
  out[global_index()] = tile[threadIdx.x];  // wrong
}
FAULT(group_never_waits, wrong_result, "never_written_in_block").at(128, 32);
__global__ void barrier_never_asked(const float* in, float* out, int) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ float tile[32];
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&bar, 32);
  block.sync();
  cuda::memcpy_async(block, tile, in + blockIdx.x * 32, 128, bar);
  static_cast<void>(bar.arrive());
  out[global_index()] = tile[threadIdx.x];  // wrong
}
FAULT(barrier_never_asked, wrong_result, "never_written_in_block").at(128, 32);
__global__ void stage_too_early(const float* in, float* out, int) {
  __shared__ float tile[32];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[threadIdx.x], &in[global_index()], 4, pipe);
  pipe.producer_commit();
  out[global_index()] = tile[threadIdx.x];  // wrong
  pipe.consumer_wait();
  pipe.consumer_release();
}
FAULT(stage_too_early, wrong_result, "never_written_in_block").at(128, 32);
__global__ void stage_of_others(const float* in, float* out, int) {
  __shared__ float tile[32];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[threadIdx.x], &in[global_index()], 4, pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  out[global_index()] = tile[threadIdx.x ^ 1];  // wrong
  pipe.consumer_release();
}
FAULT(stage_of_others, wrong_result, "static shared memory").at(128, 32);

// ---- words that atomics change

__device__ void own_add(float* where, float more) {
  int* const word = reinterpret_cast<int*>(where);
  int old = *word, assumed;
  do {
    assumed = old;
    // wrong
    old = atomicCAS(word, assumed,
                    __float_as_int(more + __int_as_float(assumed)));
  } while (assumed != old);
}
__global__ void reads_a_sum_too_early(const float* in, float* middle,
                                      unsigned* zero, float* out, int n) {
  auto* const sum = reinterpret_cast<float*>(zero);
  const int i = global_index();
  if (i < n) own_add(sum, in[i]);
  if (i == 37) middle[0] = *sum;  // wrong
  if (i == 37) out[0] = middle[0];
}
FAULT(reads_a_sum_too_early, wrong_result, "race_");
__global__ void reads_a_count_too_early(const float* in, float* out,
                                        unsigned* count, int n) {
  const int i = global_index();
  if (i < n && in[i] > 0) atomicAdd(count, 1);  // wrong
  if (i == 37) out[0] = *count;                 // wrong
}
FAULT(reads_a_count_too_early, wrong_result, "race_");
__global__ void waits_for_a_flag(const float* in, float* out, unsigned* flag,
                                 int n) {
  if (global_index() == 0) atomicExch(flag, 1);  // wrong
  const volatile unsigned* const seen = flag;
  for (int i = 0; i < 1000 && *seen == 0;)  // wrong
    ++i;
  if (global_index() < n) out[global_index()] = in[0];
}
FAULT(waits_for_a_flag, wrong_result, "race_");
__global__ void plain_lock(const float* in, float* out, unsigned* lock, int n) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {  // wrong
  }
  out[0] += in[n - 1];  // wrong
  *lock = 0;            // wrong
}
FAULT(plain_lock, wrong_result, "race_of_blocks");

// ---- addresses

__global__ void fours_of_odd_rows(const float* in, float* out, int n) {
  const int row = threadIdx.x;
  if (row >= n / 9) return;
  // wrong
  const float4 v = *reinterpret_cast<const float4*>(in + row * 9);
  out[row] = v.x + v.w;
}
FAULT(fours_of_odd_rows, wrong_result, "misaligned byte", "of in", "float4",
      "16");
__global__ void pairs_to_odd(const float* in, float* out, int n) {
  const int i = 2 * global_index() + 1;
  if (i + 1 >= n) return;
  // wrong
  *reinterpret_cast<float2*>(out + i) = make_float2(in[i], in[i + 1]);
}
FAULT(pairs_to_odd, wrong_result, "misaligned byte", "of out", "float2", "8");
__global__ void double_in_floats(const float* in, float* out, int n) {
  extern __shared__ float place[];
  // wrong
  auto* const wide = reinterpret_cast<double*>(place + 1);
  if (threadIdx.x == 0) wide[0] = in[0];  // wrong
  if (global_index() < n) out[global_index()] = 0;
}
FAULT(double_in_floats, wrong_result, "misaligned", "dynamic shared memory",
      "double");
__global__ void tile_at_odd_place(const float* in, float* out, int) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, in[0]);
  wmma::store_matrix_sync(out + 1, sum, 16, wmma::mem_row_major);  // wrong
}
FAULT(tile_at_odd_place, wrong_result, "tile_misaligned").at(300, 32);
__global__ void tile_of_odd_rows(const float* in, float* out, int) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, in[0]);
  wmma::store_matrix_sync(out, sum, 17, wmma::mem_row_major);  // wrong
}
FAULT(tile_of_odd_rows, wrong_result, "tile_misaligned").at(300, 32);
__constant__ float weights[4];
__global__ void fifth_weight(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i] * weights[i % 5];  // wrong
}
FAULT(fifth_weight, wrong_result, "index_outside 4");
__global__ void writes_its_input(float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i] += 1;  // wrong
}
void plain_pointer_to_input(const Bench& b) {
  writes_its_input<<<4, 32>>>(b.in, b.out, b.n);
}
FAULT(plain_pointer_to_input, wrong_result, "input_written writes in[");

// ---- own memory

float* allocated(int n) {
  float* d_x;
  cudaMalloc(&d_x, n * sizeof(float));
  return d_x;
}
void own_too_short(const Bench& b) {
  float* d_out;
  cudaMalloc(&d_out, 99 * sizeof(float));
  copies_all<<<4, 32>>>(b.in, d_out, b.n);
}
FAULT(own_too_short, launch_failed, "at_the_end writes 4 0 d_out");
void own_never_written(const Bench& b) {
  copies_all<<<4, 32>>>(allocated(b.n), b.out, b.n);
}
FAULT(own_never_written, wrong_result, "never_written reads d_x[");
void used_after_free(const Bench& b) {
  float* const own = allocated(b.n);
  cudaMemset(own, 0, b.n * sizeof(float));
  cudaFree(own);
  copies_all<<<4, 32>>>(own, b.out, b.n);
}
FAULT(used_after_free, launch_failed, "freed_memory reads byte");
void frees_an_input(const Bench& b) {
  cudaFree(const_cast<float*>(b.in));  // wrong
}
FAULT(frees_an_input, launch_failed, "frees_others byte 0 of in");
void frees_twice(const Bench& b) {
  float* const own = allocated(b.n);
  cudaFree(own);
  cudaFree(own);  // wrong
}
FAULT(frees_twice, launch_failed, "frees_others");
void copies_from_host_memory(const Bench& b) {
  cudaMemcpy(b.out, b.in, 400, cudaMemcpyHostToDevice);  // wrong
}
FAULT(copies_from_host_memory, launch_failed, "copy_takes_for_host", "of in");
void copies_to_device_memory(const Bench& b) {
  float host[100] = {};
  cudaMemcpy(host, b.in, 400, cudaMemcpyDeviceToDevice);  // wrong
  cudaMemcpy(b.out, host, 400, cudaMemcpyHostToDevice);
}
FAULT(copies_to_device_memory, launch_failed, "copy_takes_for_device");
void copies_too_much(const Bench& b) {
  float* const own = allocated(50);
  cudaMemcpy(own, b.in, b.n * sizeof(float), cudaMemcpyDeviceToDevice);
}
FAULT(copies_too_much, launch_failed, "writes 400", "d_x");
void clears_too_much(const Bench& b) {
  cudaMemset(b.out, 0, b.n * sizeof(double));
}
FAULT(clears_too_much, launch_failed, "writes 800", "out");
void host_reads_own(const Bench& b) {
  float* const own = allocated(b.n);
  own[3] = 1;  // wrong
}
FAULT(host_reads_own, launch_failed, "host_touches_device byte 12 of d_x");
void host_pointer_in_launch(const Bench& b) {
  std::vector<float> host(b.n);
  copies_all<<<4, 32>>>(host.data(), b.out, b.n);
}
FAULT(host_pointer_in_launch, launch_failed, "host_memory reads");
void managed_too_short(const Bench& b) {
  float* both;
  cudaMallocManaged(&both, 40 * sizeof(float));
  copies_all<<<4, 32>>>(both, b.out, b.n);
}
FAULT(managed_too_short, launch_failed, "both");

void memory_that_is_gone(const Bench& b) {
  copies_all<<<4, 32>>>(allocated(b.n) + (1ll << 34), b.out, b.n);
}
FAULT(memory_that_is_gone, launch_failed, "memory_of_before reads 4");
__global__ void takes_memory(const float* in, float* out, int n) {
  float* const own = static_cast<float*>(malloc(n * sizeof(float)));
  own[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = own[threadIdx.x];
  free(own);
}
FAULT(takes_memory, not_supported, "not_emulated malloc() in a kernel");
__global__ void takes_objects(const float* in, float* out, int n) {
  float* const own = new float[n];
  own[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = own[threadIdx.x];
  delete[] own;
}
FAULT(takes_objects, not_supported, "not_emulated new in a kernel");

// ---- launches

__global__ void launches_another(const float* in, float* out, int n) {
  copies_all<<<1, 32>>>(in, out, n);
}
FAULT(launches_another, not_supported, "not_emulated calls of CUDA's runtime");
__global__ void much_shared(const float* in, float* out, int n) {
  extern __shared__ float much[];
  much[20000 + threadIdx.x] = in[0];  // wrong
  if (global_index() < n) out[global_index()] = much[20000 + threadIdx.x];
}
void shared_not_allowed(const Bench& b) {
  much_shared<<<4, 32, 90000>>>(b.in, b.out, b.n);
}
FAULT(shared_not_allowed, launch_failed, "shared_memory_not_allowed 90000");
void shared_beyond_all(const Bench& b) {
  much_shared<<<4, 32, 300000>>>(b.in, b.out, b.n);
}
FAULT(shared_beyond_all, launch_failed, "shared_memory_short 300000 232448");
void no_blocks(const Bench& b) {
  copies_all<<<b.n / 128, 128>>>(b.in, b.out, b.n);
}
FAULT(no_blocks, launch_failed, "nothing_to_launch");
void too_many_threads(const Bench& b) {
  copies_all<<<1, dim3(64, 32)>>>(b.in, b.out, b.n);
}
FAULT(too_many_threads, not_supported, "launch_limits");
void shared_forgotten(const Bench& b) {
  much_shared<<<4, 32>>>(b.in, b.out, b.n);
}
FAULT(shared_forgotten, launch_failed, "dynamic shared memory");

}  // namespace
