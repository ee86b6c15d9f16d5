// Correct kernels in the style of textbooks, samples and forums: own launches
// and memory, groups by their types, barriers, pipelines, tiles of wmma.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <mma.h>

#include <cstring>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <numeric>

#include "helper_cuda.h"
#include "helper_functions.h"
#include "helper_image.h"
#include "helper_math.h"
#include "places/emulation/planted.hpp"

namespace cg = cooperative_groups;
using namespace nvcuda;
using planted::Bench;

namespace {

__device__ int global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- launches in angle brackets

__global__ void copy_all(float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i];
}
void angle_brackets(const Bench& b) {
  copy_all<<<(b.n + 31) / 32, 32>>>(const_cast<float*>(b.in), b.out, b.n);
}
RIGHT(angle_brackets, 150);
void plain_pointers(const Bench& b) {
  copy_all<<<4, 32>>>(b.in, b.out, b.n);
}
RIGHT(plain_pointers, 150);
void plain_pointers_by_launch(const Bench& b) {
  b.gpu.launch({.grid = 4, .block = {32}}, copy_all, b.in, b.out, b.n);
}
RIGHT(plain_pointers_by_launch, 150);
void grids_of_dim3(const Bench& b) {
  const dim3 block(32), grid((b.n + block.x - 1) / block.x);
  b.gpu.launch({.grid = grid, .block = block}, copy_all, b.in, b.out, b.n);
}
RIGHT(grids_of_dim3, 150);

template <typename T>
__global__ void copy_of_types(const T* in, T* out, size_t n) {
  extern __shared__ float own_tile[];
  const size_t i = global_index();
  if (i < n) own_tile[threadIdx.x] = in[i];
  if (i < n) out[i] = own_tile[threadIdx.x];
}
void angle_with_shared(const Bench& b) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  copy_of_types<float>
      <<<dim3(4), dim3(32), 32 * sizeof(float), stream>>>(b.in, b.out, b.n);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
RIGHT(angle_with_shared, 150);
void angle_deduces_types(const Bench& b) {
  copy_of_types<<<4, 32, 128>>>(b.in, b.out, b.n);
}
RIGHT(angle_deduces_types, 150);
template <int times, typename T>
__global__ void copy_times(const T* in, T* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = times * in[i];
}
// clang-format off
void angle_with_some_types(const Bench& b) {
  copy_times<(3 > 2 ? 2 : 1)><<<b.n >> 2, 4>>>(b.in, b.out, b.n);
}
// clang-format on
RIGHT(angle_with_some_types, 300);
// clang-format off
#define LAUNCH(kernel, n, ...) \
  kernel<<<((n) + 31) / 32, 32>>>(__VA_ARGS__, n)
// clang-format on
void angle_in_a_macro(const Bench& b) {
  LAUNCH(copy_all, b.n, b.in, b.out);
}
RIGHT(angle_in_a_macro, 150);
void angle_by_pointer(const Bench& b) {
  void (*kernels[])(float*, float*, int) = {copy_all};
  kernels[0]<<<4, 32>>>(b.in, b.out, b.n);
}
RIGHT(angle_by_pointer, 150);
void angle_on_lines(const Bench& b) {
  const char* text = "copy<<<1, 2>>>(x)";  // copy<<<1, 2>>>(y)
  if (text[4] == '<')
    copy_all<<<dim3(4),  // blocks
               dim3(32)>>>(b.in,
                           /* to */ b.out, b.n);
}
RIGHT(angle_on_lines, 150);
__global__ void copy_with(const float* in, float* out, const float* more,
                          int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i] + (more == nullptr ? 0 : more[i]);
}
void angle_with_null(const Bench& b) {
  copy_with<<<4, 32>>>(b.in, b.out, NULL, b.n);
}
RIGHT(angle_with_null, 150);
__global__ void waits_for_grid(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[n - 1 - i];
  cg::this_grid().sync();
  if (i < n && i >= n / 2) {
    const float other = out[n - 1 - i];
    out[n - 1 - i] = out[i];
    out[i] = other;
  }
}
void cooperative_by_call(const Bench& b) {
  const float* in = b.in;
  float* out = b.out;
  int n = b.n;
  void* arguments[] = {&in, &out, &n};
  cudaLaunchCooperativeKernel(waits_for_grid, dim3(16), dim3(32), arguments);
}
RIGHT(cooperative_by_call, 150);

// ---- own memory

void own_memory(const Bench& b) {
  float *d_in, *d_out = nullptr;
  cudaMalloc(&d_in, b.n * sizeof(float));
  cudaMalloc((void**)&d_out, b.n * sizeof(float));
  cudaMemcpy(d_in, b.in, b.n * sizeof(float), cudaMemcpyDeviceToDevice);
  copy_all<<<4, 32>>>(d_in, d_out, b.n);
  cudaDeviceSynchronize();
  cudaMemcpy(b.out, d_out, b.n * sizeof(float), cudaMemcpyDefault);
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(nullptr);
}
RIGHT(own_memory, 150);
void by_way_of_the_host(const Bench& b) {
  std::vector<float> host(b.n);
  cudaMemcpy(host.data(), b.in, b.n * sizeof(float), cudaMemcpyDeviceToHost);
  const float sum = std::accumulate(host.begin(), host.end(), 0.0f);
  cudaMemcpy(b.out, &sum, sizeof(float), cudaMemcpyHostToDevice);
}
RIGHT(by_way_of_the_host, 150);
__global__ void add_up(const float* in, float* sum, int n) {
  const int i = global_index();
  if (i < n) atomicAdd(sum, in[i]);
}
void launched_with_arguments(const Bench& b) {
  const float* in = b.in;
  float* out = b.out;
  int n = b.n;
  void* arguments[] = {&in, &out, &n};
  cudaLaunchKernel((void*)copy_all, dim3(4), dim3(32), arguments);
}
RIGHT(launched_with_arguments, 150);
__global__ void integer_functions(const float* in, float* out, int n) {
  const int i = global_index();
  const bool right =
      __byte_perm(0x33221100u, 0x77665544u, 0x7530u) == 0x77553300u &&
      __funnelshift_l(0x80000000u, 1u, 1u) == 3u &&
      __funnelshift_r(1u, 1u, 1u) == 0x80000000u &&
      __dp4a(0x01ff0203, 0x01010101, 1) == 6 && __sad(-2, 3, 1u) == 6u &&
      __brevll(1) == 1ull << 63 && __umul64hi(1ull << 63, 4) == 2 &&
      __float2int_rd(-1.5f) == -2 && __double2ll_rz(-1.5) == -1 &&
      __float2uint_ru(1.5f) == 2 && sinpif(1) == 0 && cospif(0.5f) == 0 &&
      cospi(1) == -1;
  if (i < n) out[i] = right ? in[i] : 0;
}
RIGHT(integer_functions, 150);
__global__ void fast_functions(const float* in, float* out, int n) {
  const int i = global_index();
  float sine, cosine;
  __sincosf(0, &sine, &cosine);
  const float zero = __expf(0) - __powf(2, 0) + __logf(1) + __log2f(1) +
                     __log10f(1) + __exp10f(0) - cosine + sine + __sinf(0) +
                     __tanf(0) + __cosf(0) - exp10f(0);
  if (i < n) out[i] = in[i] + zero;
}
RIGHT(fast_functions, 150);
void clears_its_own(const Bench& b) {
  float* sum;
  checkCudaErrors(cudaMalloc(&sum, sizeof(float)));
  checkCudaErrors(cudaMemset(sum, 0, sizeof(float)));
  add_up<<<4, 32>>>(b.in, sum, b.n);
  getLastCudaError("add_up");
  gpuErrchk(cudaPeekAtLastError());
  gpuErrchk(cudaDeviceSynchronize());
  gpuErrchk(
      cudaMemcpyAsync(b.out, sum, sizeof(float), cudaMemcpyDeviceToDevice));
  gpuErrchk(cudaFree(sum));
}
RIGHT(clears_its_own, 150);
void managed_memory(const Bench& b) {
  float* both;
  cudaMallocManaged(&both, b.n * sizeof(float));
  for (int i = 0; i < b.n; ++i)
    both[i] = 2;
  copy_all<<<4, 32>>>(both, b.out, b.n);
  cudaDeviceSynchronize();
  both[0] = 3;
  copy_all<<<4, 32>>>(both, b.out, b.n);
  cudaFree(both);
}
RIGHT(managed_memory, 201);
void rows_with_a_pitch(const Bench& b) {
  float* rows;
  size_t pitch;
  cudaMallocPitch(&rows, &pitch, 10 * sizeof(float), 10);
  cudaMemcpy2D(rows, pitch, b.in, 40, 40, 10, cudaMemcpyDeviceToDevice);
  cudaMemcpy2D(b.out, 40, rows, pitch, 40, 10, cudaMemcpyDeviceToDevice);
  cudaFree(rows);
}
RIGHT(rows_with_a_pitch, 150);
void events_around(const Bench& b) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start);
  copy_all<<<4, 32>>>(b.in, b.out, b.n);
  cudaEventRecord(stop, 0);
  cudaEventSynchronize(stop);
  float ms = 0;
  cudaEventElapsedTime(&ms, start, stop);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  if (!(ms > 0) || p.warpSize != 32 || cudaGetLastError() != cudaSuccess)
    std::abort();
}
RIGHT(events_around, 150);
// Planes of 5 rows of 10, with a pitch and back.
void planes_with_a_pitch(const Bench& b) {
  cudaPitchedPtr planes;
  const cudaExtent all = make_cudaExtent(40, 5, 2);
  cudaMalloc3D(&planes, all);
  cudaMemset3D(planes, 0, all);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr((void*)b.in, 40, 10, 5);
  copy.dstPtr = planes;
  copy.extent = all;
  copy.kind = cudaMemcpyDeviceToDevice;
  cudaMemcpy3D(&copy);
  copy.srcPtr = planes;
  copy.dstPtr = make_cudaPitchedPtr(b.out, 40, 10, 5);
  copy.srcPos = copy.dstPos = make_cudaPos(0, 1, 1);
  copy.extent = make_cudaExtent(40, 4, 1);
  cudaMemcpy3DAsync(&copy, 0);
  cudaMemcpyPeer(b.out, 0, b.in, 0, 60 * sizeof(float));
  cudaFree(planes.ptr);
}
RIGHT(planes_with_a_pitch, 150);
// A program asks what there is, and a stream is as good as another.
void questions_to_the_runtime(const Bench& b) {
  int least = 1, most = 1, version = 0, can = 1, width = 0;
  char id[16] = "";
  size_t stack = 0;
  unsigned flags = 1;
  cudaFuncAttributes of_kernel;
  cudaDeviceGetStreamPriorityRange(&least, &most);
  cudaDeviceSetLimit(cudaLimitStackSize, 4096);
  cudaDeviceGetLimit(&stack, cudaLimitStackSize);
  cudaDeviceGetPCIBusId(id, sizeof id, 0);
  cudaRuntimeGetVersion(&version);
  cudaDeviceCanAccessPeer(&can, 0, 1);
  cudaDeviceGetAttribute(&width, cudaDevAttrMaxBlockDimX, 0);
  cudaFuncGetAttributes(&of_kernel, copy_all);
  cudaStream_t stream;
  cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, most);
  cudaStreamGetFlags(stream, &flags);
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  copy_all<<<4, 32, 0, stream>>>(b.in, b.out, b.n);
  cudaEventRecord(done, stream);
  if (cudaStreamQuery(stream) != cudaSuccess || least != 0 || most >= least ||
      stack < 1024 || std::strlen(id) != 12 || version < 11000 || can != 0 ||
      width != 1024 || of_kernel.maxThreadsPerBlock != 1024 ||
      flags != cudaStreamNonBlocking)
    std::abort();
}
RIGHT(questions_to_the_runtime, 150);
__global__ void much_shared(const float* in, float* out, int n) {
  extern __shared__ float much[];
  const int i = global_index(), far = threadIdx.x + 20000;
  much[far] = i < n ? in[i] : 0;
  if (i < n) out[i] = much[far];
}
void allowed_shared_memory(const Bench& b) {
  cudaFuncSetAttribute(much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       90000);
  much_shared<<<4, 32, 90000>>>(b.in, b.out, b.n);
}
RIGHT(allowed_shared_memory, 150);

// ---- constants and variables of the device

__constant__ float weights[4];
__device__ unsigned long long counter;
__global__ void weighs(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = weights[i % 4] * in[i];
  if (i < n) atomicAdd(&counter, 1ull);
}
void constants_by_symbol(const Bench& b) {
  const float host[4] = {1, 2, 3, 4};
  const unsigned long long zero = 0;
  cudaMemcpyToSymbol(weights, host, sizeof(host));
  cudaMemcpyToSymbol(counter, &zero, sizeof zero);
  weighs<<<4, 32>>>(b.in, b.out, b.n);
  unsigned long long count = 0;
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  if (count != 100) std::abort();
}
RIGHT(constants_by_symbol, 25 * (2 + 6 + 12));
void constants_in_parts(const Bench& b) {
  const float two = 2;
  for (int i = 0; i < 4; ++i)
    cudaMemcpyToSymbol(weights, &two, sizeof two, i * sizeof two,
                       cudaMemcpyHostToDevice);
  weighs<<<4, 32>>>(b.in, b.out, b.n);
}
RIGHT(constants_in_parts, 300);
void constants_by_address(const Bench& b) {
  void* address;
  cudaGetSymbolAddress(&address, weights);
  const float host[4] = {3, 3, 3, 3};
  cudaMemcpyToSymbol(weights, host, sizeof host);
  cudaMemcpyToSymbol(weights, b.in, 4 * sizeof(float), 0,
                     cudaMemcpyDeviceToDevice);
  if (address != weights) std::abort();
  weighs<<<4, 32>>>(b.in, b.out, b.n);
}
RIGHT(constants_by_address, 25 * (1 + 4 + 9));
void constants_from_host(const Bench& b) {
  const float host[2] = {5, 5};
  b.gpu.copy_to_constant(weights, b.in, 4);
  b.gpu.copy_to_constant(weights, host, 2, 1);
  b.gpu.launch(b.config(), weighs, b.in, b.out, b.n);
}
RIGHT(constants_from_host, 25 * (5 + 10 + 9));

// ---- groups by their types

__device__ float sum_of(cg::thread_block_tile<32> tile, float own) {
  for (int by = tile.size() / 2; by > 0; by /= 2)
    own += tile.shfl_down(own, by);
  return own;
}
__global__ void tiles_by_type(const float* in, float* out, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  cg::thread_block_tile<32, cg::thread_block> same =
      cg::tiled_partition<32>(block);
  const int i = global_index();
  const float sum = sum_of(tile, i < n ? in[i] : 0);
  if (same.thread_rank() == 0) atomicAdd(out, sum);
}
RIGHT(tiles_by_type, 150);
__device__ float reduced(const cg::thread_group& group, float* place,
                         float own) {
  const unsigned rank = group.thread_rank();
  for (unsigned i = group.size() / 2; i > 0; i /= 2) {
    place[rank] = own;
    group.sync();
    if (rank < i) own += place[rank + i];
    group.sync();
  }
  return own;
}
__global__ void any_group(const float* in, float* out, int n) {
  __shared__ float place[64];
  const auto block = cg::this_thread_block();
  const int i = global_index();
  const float sum = reduced(block, place, i < n ? in[i] : 0);
  cg::thread_group tile = cg::tiled_partition(block, 16);
  const float part =
      reduced(tile, place + threadIdx.x / 16 * 16, i < n ? in[i] : 0);
  cg::sync(block);
  if (block.thread_rank() == 0) atomicAdd(out, sum);
  if (tile.thread_rank() == 0) atomicAdd(out + 1, part);
}
RIGHT(any_group, 300).at(100, 64);
__global__ void tile_of_two_warps(const float* in, float* out, int n) {
  __shared__ cg::block_tile_memory<128> memory;
  __shared__ float first[128];
  cg::thread_block block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  const int i = global_index();
  const float own = i < n ? in[i] : 0;
  first[threadIdx.x] = own;
  tile.sync();
  const float other = first[threadIdx.x ^ 32];
  const float sum = cg::reduce(tile, other, cg::plus<float>());
  if (tile.any(own > 3) || !tile.all(own >= 0)) __trap();
  if (tile.thread_rank() == 0) out[i / 64] = tile.meta_group_rank() * 0 + sum;
}
RIGHT(tile_of_two_warps, 150).at(100, 128);
__global__ void lanes_by_type(const float* in, float* out, int n) {
  const int i = global_index();
  if (i >= n || in[i] < 2) return;
  cg::coalesced_group active = cg::coalesced_threads();
  const float sum = cg::reduce(active, in[i], cg::plus<float>());
  if (active.thread_rank() == 0) atomicAdd(out, sum);
}
RIGHT(lanes_by_type, 125);
__global__ void parts_by_label(const float* in, float* out, int n) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int i = global_index();
  const float own = i < n ? in[i] : 0;
  const auto alike = cg::labeled_partition(tile, static_cast<int>(own));
  const auto odd = cg::binary_partition(tile, threadIdx.x % 2 == 1);
  if (odd.size() != 16) __trap();
  if (alike.thread_rank() == 0) atomicAdd(out, own * alike.size());
}
RIGHT(parts_by_label, 150);
__global__ void scans(const float* in, float* out, int n) {
  const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  const int i = global_index();
  const float own = i < n ? in[i] : 0;
  const float up_to = cg::inclusive_scan(tile, own);
  const float before = cg::exclusive_scan(tile, own, cg::plus<float>());
  if (i < n) out[i] = up_to - before;
}
RIGHT(scans, 150);
__global__ void copies_of_a_group(const float* in, float* out, int n) {
  __shared__ float tile[32];
  const auto block = cg::this_thread_block();
  const int first = blockIdx.x * 32, me = threadIdx.x,
            count = min(32, n - first);
  cg::memcpy_async(block, tile, in + first, count * sizeof(float));
  cg::wait(block);
  if (me < count) out[first + me] = tile[count - 1 - me];
}
RIGHT(copies_of_a_group, 150);

// ---- barriers and pipelines

__global__ void arrives_and_waits(const float* in, float* out, int n) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier bar;
  __shared__ float tile[32];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  const int i = global_index();
  for (int step = 0; step < 3; ++step) {
    tile[threadIdx.x] = i < n ? in[i] : 0;
    barrier::arrival_token token = bar.arrive();
    bar.wait(std::move(token));
    if (step == 2 && i < n) out[i] = tile[threadIdx.x ^ 1];
    bar.arrive_and_wait();
  }
}
RIGHT(arrives_and_waits, 150);
__global__ void copies_to_a_barrier(const float* in, float* out, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ float tile[32];
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  const int first = blockIdx.x * 32, me = threadIdx.x,
            count = min(32, n - first);
  cuda::memcpy_async(block, tile, in + first, count * sizeof(float), bar);
  bar.arrive_and_wait();
  if (me < count) out[first + me] = tile[count - 1 - me];
}
RIGHT(copies_to_a_barrier, 150);
__global__ void pipeline_of_threads(const float* in, float* out, int n) {
  __shared__ float stage[2][32];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const int me = threadIdx.x, steps = (n + 31) / 32;
  for (int fetch = 0, step = 0; step < steps; ++step) {
    for (; fetch < steps && fetch < step + 2; ++fetch) {
      pipe.producer_acquire();
      if (fetch * 32 + me < n)
        cuda::memcpy_async(&stage[fetch % 2][me], &in[fetch * 32 + me],
                           cuda::aligned_size_t<4>(4), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    if (step * 32 + me < n) out[step * 32 + me] = stage[step % 2][me];
    pipe.consumer_release();
  }
}
void one_block_for_all(const Bench& b) {
  pipeline_of_threads<<<1, 32>>>(b.in, b.out, b.n);
}
RIGHT(one_block_for_all, 150);
__global__ void pipeline_of_a_block(const float* in, float* out, int n) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ float stage[2][32];
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int steps = n / 32;
  for (int fetch = 0, step = 0; step < steps; ++step) {
    for (; fetch < steps && fetch < step + 2; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[fetch % 2], in + fetch * 32, 128, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[step * 32 + threadIdx.x] = stage[step % 2][31 - threadIdx.x];
    pipe.consumer_release();
  }
}
void one_block_with_stages(const Bench& b) {
  pipeline_of_a_block<<<1, 32>>>(b.in, b.out, b.n);
}
RIGHT(one_block_with_stages, 192).at(128, 32);
__global__ void last_block_by_atomic_ref(const float* in, float* middle,
                                         unsigned* zero, float* out, int n) {
  const int i = global_index();
  if (i < n) middle[i] = in[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*zero);
  if (count.fetch_add(1, cuda::memory_order_acq_rel) + 1 < gridDim.x) return;
  for (int j = 0; j < n; ++j)
    out[0] += middle[j];
  count.store(0);
}
RIGHT(last_block_by_atomic_ref, 150);
__global__ void sum_by_atomic_ref(const float* in, float* out, int n) {
  const int i = global_index();
  const cuda::atomic_ref<float, cuda::thread_scope_device> sum(*out);
  if (i < n) sum.fetch_add(in[i], cuda::memory_order_relaxed);
}
RIGHT(sum_by_atomic_ref, 150);
__global__ void bits_by_atomic_ref(const float*, float*, unsigned* zero,
                                   float* out, int n) {
  const int i = global_index();
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> word(*zero);
  if (i >= n) return;
  word.fetch_or(1u << i % 32);
  word.fetch_xor(0);
  word.fetch_and(~0u);
  atomicOr_block(zero, 0u);
  __syncthreads();
  if (i == 0) out[0] = word.exchange(0) & 1 ? 150 : 0;
}
RIGHT(bits_by_atomic_ref, 150).at(32, 32);

// ---- halves and tiles on tensor cores

__global__ void halves_by_name(const float* in, float* out, int n) {
  const int i = global_index();
  if (i >= n) return;
  half own = __float2half(in[i]), sum = 0.0f;
  sum += own;
  sum = sum * __half(2) - own;
  half2 both = __half2half2(sum);
  both = __hadd2(both, __floats2half2_rn(0.5f, 0.5f));
  if (own > sum || own != sum) sum = -sum;
  out[i] = __low2float(both) - 0.5f + __half2float(sum) - float(own);
}
RIGHT(halves_by_name, 150);
__global__ void product_of_tiles(const float* in, float* out, int) {
  __shared__ __align__(32) half a[16 * 16], b[16 * 16];
  __shared__ __align__(32) float c[16 * 16];
  for (int i = threadIdx.x; i < 256; i += 32) {
    a[i] = __float2half(in[i % 100]);
    b[i] = __float2half(i % 17 == 0 ? 2.0f : 0.0f);
  }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  for (int e = 0; e < sum.num_elements; ++e)
    sum.x[e] *= 0.5f;
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 100; i += 32)
    out[i] = c[i];
}
void one_warp(const Bench& b) {
  product_of_tiles<<<1, 32>>>(b.in, b.out, b.n);
}
RIGHT(one_warp, 150);
__global__ void product_of_floats(const float* in, float* out, int) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32,
                 wmma::row_major>
      left;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32,
                 wmma::row_major>
      right;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::fill_fragment(sum, 1.0f);
  wmma::fill_fragment(right, 1.0f);
  wmma::load_matrix_sync(left, in, 8);
  for (auto& x : left.x)
    x = wmma::__float_to_tf32(x);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}
void one_warp_of_floats(const Bench& b) {
  product_of_floats<<<1, 32>>>(b.in, b.out, b.n);
}
RIGHT(one_warp_of_floats, 256 * 13).at(256, 32);

// ---- behaviour that the guide defines

__global__ void early_return(const float* in, float* out, int n) {
  __shared__ float tile[32];
  const int i = global_index();
  if (i >= n) return;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x ^ 1];
}
RIGHT(early_return, 150);
__global__ void early_return_of_warps(const float* in, float* out, int n) {
  __shared__ float tile[128];
  const int i = global_index();
  if (threadIdx.x >= 64) return;
  for (int step = 0; step < 3; ++step) {
    tile[threadIdx.x] = in[i % n];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
    __syncthreads();
  }
}
void one_block_of_128(const Bench& b) {
  early_return_of_warps<<<1, 128>>>(b.in, b.out, b.n);
}
RIGHT(one_block_of_128, 96);
__global__ void counts_those_left(const float* in, float* out, int n) {
  const int i = global_index();
  if (i >= n) return;
  const int count = __syncthreads_count(in[i] > 0);
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<float>(count);
}
RIGHT(counts_those_left, 75);
__global__ void leaves_a_loop(const float* in, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    out[i] = in[i];
    __syncthreads();
  }
}
RIGHT(leaves_a_loop, 150);
__device__ double own_add(double* where, double more) {
  auto* word = reinterpret_cast<unsigned long long*>(where);
  unsigned long long seen = *word, before;
  do {
    before = seen;
    seen = atomicCAS(word, before,
                     __double_as_longlong(more + __longlong_as_double(before)));
  } while (before != seen);
  return __longlong_as_double(before);
}
__global__ void own_sum(const float* in, double* sum, int n) {
  const int i = global_index();
  if (i < n) own_add(sum, in[i]);
}
void own_atomic(const Bench& b) {
  double* sum;
  cudaMalloc(&sum, sizeof(double));
  cudaMemset(sum, 0, sizeof(double));
  own_sum<<<4, 32>>>(b.in, sum, b.n);
  double host;
  cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
  const float as_float = static_cast<float>(host);
  cudaMemcpy(b.out, &as_float, sizeof(float), cudaMemcpyHostToDevice);
}
RIGHT(own_atomic, 150);
__device__ float own_max(float* where, float value) {
  int* const word = reinterpret_cast<int*>(where);
  int old = *word;
  while (value > __int_as_float(old)) {
    const int assumed = old;
    old = atomicCAS(word, assumed, __float_as_int(value));
    if (old == assumed) break;
  }
  return __int_as_float(old);
}
__global__ void largest(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) own_max(out, in[i]);
}
RIGHT(largest, 3);
__global__ void warp_with_barriers(const float* in, float* out, int n) {
  __shared__ volatile float place[64];
  const int i = global_index(), me = threadIdx.x;
  place[me] = i < n ? in[i] : 0;
  __syncthreads();
  if (me >= 32) return;
  float own = place[me];
  for (int by = 32; by > 0; by /= 2) {
    own += me + by < 64 ? place[me + by] : 0;
    __syncwarp();
    place[me] = own;
    __syncwarp();
  }
  if (me == 0) atomicAdd(out, own);
}
RIGHT(warp_with_barriers, 150).at(100, 64);

#if !defined(__CUDACC__) || __CUDA_ARCH__ < 600
#error "a device of compute capability 9.0 is emulated"
#endif
#ifdef __CUDA_ARCH__
__host__ __device__ float where_it_runs() {
  return 1;
}
#endif
__global__ void knows_its_device(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i] * where_it_runs();
}
RIGHT(knows_its_device, 150);

// ---- headers of samples

__global__ void vectors(const float* in, float* out, int n) {
  const int i = global_index();
  if (4 * i + 3 >= n) return;
  const float4 v = reinterpret_cast<const float4*>(in)[i];
  float4 w = 2.0f * v - v * make_float4(1.0f);
  w += lerp(v, w, 0.5f) - v;
  w /= 1.0f + clamp(dot(w, w) - dot(v, v), 0.0f, 1.0f);
  reinterpret_cast<float4*>(out)[i] = w;
}
void timed_vectors(const Bench& b) {
  StopWatchInterface* timer = nullptr;
  sdkCreateTimer(&timer);
  sdkStartTimer(&timer);
  vectors<<<b.n / 128 + 1, 32>>>(b.in, b.out, b.n);
  sdkStopTimer(&timer);
  if (sdkGetAverageTimerValue(&timer) < 0) throw timer;
  sdkDeleteTimer(&timer);
}
RIGHT(timed_vectors, 150);

// ---- a thread's own indices

__attribute__((noinline)) int flat(const uint3& at, const dim3& extent) {
  return static_cast<int>(at.x + at.y * extent.x);
}
__global__ void by_reference(const float* in, float* out, int n) {
  const int i = flat(blockIdx, gridDim) * static_cast<int>(blockDim.x) +
                flat(threadIdx, blockDim);
  __syncthreads();
  if (i < n)
    out[i] = in[i] + static_cast<float>(flat(threadIdx, blockDim) -
                                        static_cast<int>(threadIdx.x));
}
RIGHT(by_reference, 150);
void variables_of_these_names(const Bench& b) {
  dim3 blockDim(b.block);
  const dim3 gridDim((b.n + blockDim.x - 1) / blockDim.x);
  by_reference<<<gridDim, blockDim>>>(b.in, b.out, b.n);
}
RIGHT(variables_of_these_names, 150);

}  // namespace
