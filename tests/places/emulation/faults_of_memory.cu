// Planted faults: wrong addresses, unwritten memory, and host code that takes
// part.
#include <algorithm>
#include <cstring>

#include "places/emulation/planted.hpp"

using planted::Bench;

namespace {

__device__ int global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- past the ends of arrays

__global__ void off_by_one(const float* in, float* out, int n) {
  const int i = global_index();
  if (i <= n) out[i] = in[min(i, n - 1)];  // wrong
}
FAULT(off_by_one, launch_failed, "block (3,0), thread (4,0)",
      "at_the_end writes 4 0 out 400");

__global__ void tail_not_handled(const float* in, float* out, int) {
  const int i = global_index();
  out[i] = in[i];  // wrong
}
FAULT(tail_not_handled, launch_failed, "block (3,0)", " in 400");

__global__ void before_the_start(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i - 1];  // wrong
}
FAULT(before_the_start, launch_failed, "before_the_start reads 4 4 in");

// Many bytes at once, by a call.
__global__ void copied_too_much(const float* in, float* out, int n) {
  // wrong
  if (global_index() == 0) std::memcpy(out, in, (n + 1) * sizeof(float));
}
FAULT(copied_too_much, launch_failed, "at_the_end reads 404");

__global__ void cleared_too_much(const float*, float* out, int n) {
  // wrong
  if (global_index() == 0) std::memset(out, 0, (n + 1) * sizeof(float));
}
FAULT(cleared_too_much, launch_failed, "at_the_end writes 404");

// An address between arrays that are far apart.
__global__ void wild_index(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i - 300000];  // wrong
}
FAULT(wild_index, launch_failed, "before_the_start reads 4", " in 400");

// Beyond the reach of guard words around an array.
__global__ void far_past_the_end(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i + 5000000] = in[i];  // wrong
}
FAULT(far_past_the_end, launch_failed, "past_the_end writes 4", " out 400");

__global__ void vector_tail(const float* in, float* out, int n) {
  const int i = global_index();
  if (4 * i >= n) return;
  const float4 v = reinterpret_cast<const float4*>(in)[i];  // wrong
  out[i] = v.x + v.w;
}
FAULT(vector_tail, launch_failed, "at_the_end reads 16 0 in 396").at(99, 32);

// The index of a square matrix of 10 x 10 used on one of 5 x 20.
__global__ void rows_for_columns(const float* in, float* out, int n) {
  const int rows = 5, columns = n / rows;
  const int row = threadIdx.x % rows, column = threadIdx.x / rows;
  // wrong
  if (column < columns)
    out[column * columns + row] = in[row * columns + column];
}
FAULT(rows_for_columns, launch_failed, "_end writes 4").at(100, 100);

__global__ void transposed_index(const float* in, float* out, int n) {
  const int rows = 5, columns = n / rows;
  const int row = threadIdx.x % rows, column = threadIdx.x / rows;
  if (column < columns) out[row] += in[row * rows + column];  // wrong
}
FAULT(transposed_index, wrong_result, "out[", "race_").at(100, 100);

__global__ void writes_input(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = const_cast<float*>(in)[i] = 1;  // wrong
}
FAULT(writes_input, wrong_result, "input_written writes in[");

__global__ void null_pointer(const float* in, float* out, unsigned*, int n) {
  const float* const nothing = in[0] > 0 ? in : nullptr;
  if (global_index() < n) out[0] = nothing[global_index()];  // wrong
}
FAULT(null_pointer, launch_failed, "null_pointer");

void copy_of_too_much(const Bench& b) {
  b.gpu.copy(b.out, b.in, static_cast<std::size_t>(b.n) * sizeof(double));
}
FAULT(copy_of_too_much, launch_failed, "copy or clear", "at_the_end reads 800");

// ---- addresses of the host

__global__ void sum_of(const float* in, const float* numbers, float* out,
                       int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i] + numbers[i];  // wrong
}
void vector_of_host(const Bench& b) {
  const std::vector<float> host(static_cast<std::size_t>(b.n));
  b.gpu.launch(b.config(), sum_of, b.in, host.data(), b.out, b.n);
}
FAULT(vector_of_host, launch_failed, "host_memory reads 4");

__global__ void count_into(int* result) {
  atomicAdd(result, 1);  // wrong
}
void result_on_the_stack(const Bench& b) {
  int result = 0;
  b.gpu.launch(b.config(), count_into, &result);
}
FAULT(result_on_the_stack, launch_failed, "in_kernel count_into",
      "host_memory");

struct Options {
  int n, scale;
};
__global__ void takes_options(const Options* options, const float* in,
                              float* out) {
  const int i = global_index();
  if (i < options->n) out[i] = in[i] * options->scale;  // wrong
}
void options_on_the_stack(const Bench& b) {
  const Options options{b.n, 2};
  b.gpu.launch(b.config(), takes_options, &options, b.in, b.out);
}
FAULT(options_on_the_stack, launch_failed, "host_memory reads 4");

// ---- shared memory and local arrays

__global__ void shared_index(const float* in, float* out, int n) {
  __shared__ float tile[32];
  const int i = global_index();
  tile[threadIdx.x] = i < n ? in[i] : 0;  // wrong
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x];
}
FAULT(shared_index, wrong_result, "index_outside").at(100, 64);

__global__ void shared_column(const float* in, float* out, int n) {
  __shared__ float tile[8][8];
  const int row = threadIdx.x / 8, column = threadIdx.x % 8;
  tile[row][column] = in[threadIdx.x];
  __syncthreads();
  if (global_index() < n) out[global_index()] = tile[row][column + 1];  // wrong
}
FAULT(shared_column, wrong_result, "index_outside 8").at(64, 64);

__global__ void dynamic_shared_too_small(const float* in, float* out, int n) {
  float* tile = shared_memory<float>();
  const int i = global_index();
  tile[threadIdx.x + 1] = i < n ? in[i] : 0;  // wrong
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x + 1];
}
FAULT(dynamic_shared_too_small, launch_failed, "thread (31,0)",
      "at_the_end writes 4 0 dynamic shared memory 128");

__global__ void extern_shared_too_small(const float* in, float* out, int n) {
  extern __shared__ double doubles[];
  doubles[threadIdx.x] = in[threadIdx.x];  // wrong
  __syncthreads();
  if (global_index() < n)
    out[threadIdx.x] = static_cast<float>(doubles[threadIdx.x]);
}
FAULT(extern_shared_too_small, launch_failed, "_end writes 8");

__global__ void before_dynamic_shared(const float* in, float* out, int n) {
  extern __shared__ float left[];
  left[threadIdx.x] = in[threadIdx.x];  // wrong where there is no shared memory
  __syncthreads();
  const int t = threadIdx.x;
  if (t < n) out[t] = left[t - 1];  // wrong
}
FAULT(before_dynamic_shared, launch_failed,
      "before_the_start reads 4 4 dynamic shared memory");

void no_shared_bytes(const Bench& b) {
  auto config = b.config();
  config.shared_bytes = 0;
  b.gpu.launch(config, before_dynamic_shared, b.in, b.out, b.n);
}
FAULT(no_shared_bytes, launch_failed, "dynamic shared memory 0");

__global__ void local_index(const float* in, float* out, int n) {
  float last[4];
  for (int i = 0; i < 4; ++i)
    last[i] = in[i];
  if (global_index() < n) out[global_index()] = last[threadIdx.x % 5];  // wrong
}
FAULT(local_index, wrong_result, "index_outside 4");

__constant__ float weights[8];
__global__ void constant_index(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i] * weights[i % 9];  // wrong
}
FAULT(constant_index, wrong_result, "index_outside 8");

// wrong
__global__ void large_local_array(const float* in, float* out, int n) {
  float all[300000];  // wrong
  for (int i = 0; i < 300000; ++i)
    all[i] = in[i % n];  // wrong
  out[threadIdx.x] = all[threadIdx.x];
}
FAULT(large_local_array, launch_failed, "in_kernel large_local_array");

__device__ float descend(const float* in, int depth) {               // wrong
  volatile float here[64];                                           // wrong
  here[depth % 64] = in[depth % 4];                                  // wrong
  return depth < 0 ? 0 : descend(in, depth + 1) + here[depth % 64];  // wrong
}
__global__ void endless_recursion(const float* in, float* out, int) {
  *out = descend(in, 0);
}
FAULT(endless_recursion, launch_failed, "stack_overflow");

// ---- alignment

__global__ void misaligned_vector(const float* in, float* out, int n) {
  const int i = global_index();
  if (i >= n / 4 - 1) return;
  const float4 v = *reinterpret_cast<const float4*>(in + 4 * i + 1);  // wrong
  out[i] = v.x;
}
FAULT(misaligned_vector, wrong_result, "misaligned", "thread (");

__global__ void misaligned_double(const float* in, float* out, int n) {
  extern __shared__ char bytes[];
  auto* const first = reinterpret_cast<float*>(bytes);
  auto* const second = reinterpret_cast<double*>(bytes + 4);
  if (threadIdx.x == 0) {
    first[0] = in[0];
    second[0] = in[1];  // wrong
    if (n > 0) out[0] = static_cast<float>(first[0] + second[0]);
  }
}
FAULT(misaligned_double, wrong_result, "misaligned");

// ---- unwritten memory

__global__ void unwritten_shared(const float* in, float* out, int n) {
  __shared__ float sum[32];
  const int i = global_index();
  if (i < n) sum[threadIdx.x % 32] += in[i];  // wrong
  __syncthreads();
  if (i < n) out[i] = sum[threadIdx.x % 32];
}
FAULT(unwritten_shared, wrong_result,
      "never_written_in_block reads static shared memory");

__global__ void unwritten_halo(const float* in, float* out, int n) {
  __shared__ float tile[34];
  const int i = global_index(), t = threadIdx.x;
  tile[t + 1] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = tile[t] + tile[t + 2];  // wrong
}
FAULT(unwritten_halo, wrong_result, "never_written_in_block");

__global__ void unwritten_scratch(const float* in, float* middle, float* out,
                                  int n) {
  const int i = global_index();
  if (i + 1 < n) middle[i] = in[i];
  if (i < n) out[i] = middle[i];  // wrong
}
FAULT(unwritten_scratch, wrong_result, "never_written reads scratch 1[99]");

__global__ void copied_unwritten(const float* in, float* out, int n) {
  __shared__ float tile[8];
  const int i = global_index();
  if (i < 7) tile[i] = in[i];
  __syncthreads();
  if (i == 0) std::memcpy(out, tile, std::min(n, 8) * sizeof(float));  // wrong
}
FAULT(copied_unwritten, wrong_result, "never_written_in_block");

__global__ void adds(const float* in, float* middle, float* out, int n) {
  const int i = global_index();
  if (i < n) middle[i] += in[i];  // wrong
  if (i < n) out[i] = middle[i];
}
void unwritten_sum(const Bench& b) {
  b.gpu.launch(b.config(), adds, b.in, b.gpu.scratch<float>(b.n), b.out, b.n);
}
FAULT(unwritten_sum, wrong_result, "in_kernel adds", "reads scratch 1[",
      "never_written");

__global__ void leaves_a_counter(const float* in, float* out, unsigned* zero,
                                 int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i];
  atomicAdd(zero, 1u);
}
FAULT(leaves_a_counter, wrong_result, "scratch_not_zero scratch 1");

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
__global__ void uninitialised_sum(const float* in, float* out, int n) {
  float sum;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += in[i];
  if (blockIdx.x == 0) out[threadIdx.x] = sum;
}
WRONG(uninitialised_sum, 150);

__global__ void uninitialised_array(const float* in, float* out, int n) {
  float sums[4];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sums[i % 4] += in[i];
  if (blockIdx.x == 0) out[threadIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}
WRONG(uninitialised_array, 150);

__global__ void uninitialised_index(const float* in, float* out, int n) {
  int i;
  if (n < 0) i = threadIdx.x;
  out[threadIdx.x] = in[i];  // wrong
}
FAULT(uninitialised_index, launch_failed, " in 400");

#pragma GCC diagnostic pop

__global__ void forgotten_tail(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n / 32 * 32) out[i] = in[i];
}
WRONG(forgotten_tail, 150).at(99, 32);

// ---- host code

void host_reads(const Bench& b) {
  b.out[0] = b.in[3];  // wrong
}
FAULT(host_reads, launch_failed, "host_touches_device byte 12 of in");

void host_writes(const Bench& b) {
  b.gpu.launch(b.config(), adds, b.in, b.out, b.out, 0);
  b.out[1] = 1;  // wrong
}
FAULT(host_writes, launch_failed, "host_touches_device byte 4 of out");

void host_copies(const Bench& b) {
  // no vector: destructors do not run when host code fails
  const float host[64] = {};
  std::memcpy(b.out, host, sizeof host);  // wrong
}
FAULT(host_copies, launch_failed, "host_touches_device", "of out");

void host_sorts(const Bench& b) {
  std::sort(b.out, b.out + b.n);  // wrong
}
FAULT(host_sorts, launch_failed, "host_touches_device", "of out");

void host_reads_scratch(const Bench& b) {
  auto* const sums = b.gpu.scratch<float>(b.n);
  b.gpu.launch(b.config(), adds, b.in, b.out, sums, b.n);
  b.gpu.copy(b.out, sums, static_cast<std::size_t>(sums[0]));  // wrong
}
FAULT(host_reads_scratch, launch_failed,
      "host_touches_device byte 0 of scratch 1");

void host_crashes(const Bench& b) {
  const std::intptr_t small = b.n;
  volatile int* volatile nowhere = reinterpret_cast<int*>(small);  // wrong
  *nowhere = 1;                                                    // wrong
}
FAULT(host_crashes, launch_failed, "crashed_at segmentation fault 0x64");

__global__ void copies_to_null(const float* in, float*, int) {
  // Through a pointer, so that the compiler has to call the function.
  void* (*volatile copy)(void*, const void*, std::size_t) = memcpy;
  copy(reinterpret_cast<void*>(8), in, sizeof(float));  // wrong
}
FAULT(copies_to_null, launch_failed, "null_pointer writes 4");

__global__ void crashes_unseen(const float*, float* out, int n) {
  // The runtime does not see what this one does.
  char* (*volatile copy)(char*, const char*) = std::strcpy;
  copy(reinterpret_cast<char*>(8), "");  // wrong
  if (n > 0) out[0] = 1;
}
FAULT(crashes_unseen, launch_failed, "crashed_at segmentation fault 0x8");

}  // namespace
