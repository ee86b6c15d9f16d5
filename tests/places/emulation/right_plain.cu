// Correct kernels that look unusual: memory, types, and mappings of a grid to
// the work.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>
#include <numeric>

#include "gpu/tensor_cores.hpp"
#include "places/emulation/planted.hpp"

using planted::Bench;

namespace {

__device__ int global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void copies(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i];
}
RIGHT(copies, 150);
RIGHT(copies, 147).at(99, 33);
RIGHT(copies, 150).at(100, 1);
RIGHT(copies, 1536).at(1024, 1024);

__global__ void one_thread_for_all(const float* in, float* out, int n) {
  if (global_index() != 0) return;
  for (int i = n; i-- > 0;)
    out[i] = in[i];
}
RIGHT(one_thread_for_all, 150);

__global__ void strides_over_the_grid(const float* in, float* out, int n) {
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i];
}
void small_grid(const Bench& b) {
  b.gpu.launch({.grid = {2}, .block = {7}}, strides_over_the_grid, b.in, b.out,
               b.n);
}
RIGHT(small_grid, 150);
void grid_of_many_blocks(const Bench& b) {
  b.gpu.launch({.grid = {1000}, .block = {3}}, strides_over_the_grid, b.in,
               b.out, b.n);
}
RIGHT(grid_of_many_blocks, 150);

__global__ void three_dimensions(const float* in, float* out, int n) {
  const int block =
      (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int i =
      block * static_cast<int>(blockDim.x * blockDim.y * blockDim.z) + thread;
  if (i < n) out[i] = in[i];
}
void boxes(const Bench& b) {
  b.gpu.launch({.grid = {2, 3, 1}, .block = {3, 2, 4}}, three_dimensions, b.in,
               b.out, b.n);
}
RIGHT(boxes, 150);

__global__ void in_place(const float* in, float* out, int n) {
  const int i = global_index();
  if (i >= n) return;
  out[i] = in[i];
  for (int step = 0; step < 3; ++step)
    out[i] = out[i] * 2 - in[i];
}
RIGHT(in_place, 150);

__global__ void vectors(const float* in, float* out, int n) {
  const int i = global_index();
  if (i >= n / 4) return;
  const float4 v = __ldg(reinterpret_cast<const float4*>(in) + i);
  reinterpret_cast<float4*>(out)[i] = make_float4(v.w, v.z, v.y, v.x);
}
RIGHT(vectors, 150);

// Neighbours in one word, written by different threads.
__global__ void bytes_of_one_word(const float* in, float* out, int n) {
  __shared__ unsigned char small[64];
  if (threadIdx.x < 64)
    small[threadIdx.x] = static_cast<unsigned char>(in[threadIdx.x]);
  __syncthreads();
  const int i = global_index();
  if (i < n) out[i] = small[i % 64];
}
RIGHT(bytes_of_one_word, 150).at(100, 64);

__global__ void words_in_parts(const float* in, float* out, int n) {
  const int i = global_index();
  auto* const halves = reinterpret_cast<unsigned short*>(out);
  unsigned bits = 0;
  if (i < n) bits = __float_as_uint(in[i]);
  if (i < n) halves[2 * i] = static_cast<unsigned short>(bits);
  if (i < n) halves[2 * i + 1] = static_cast<unsigned short>(bits >> 16);
}
RIGHT(words_in_parts, 150);

struct Options {
  float scale[3];
  int n;
};
__global__ void takes_a_struct(const Options options, const float* in,
                               float* out) {
  const int i = global_index();
  if (i < options.n) out[i] = in[i] * options.scale[i % 3];
}
void passes_a_struct(const Bench& b) {
  b.gpu.launch(b.config(), takes_a_struct, Options{{1, 1, 1}, b.n}, b.in,
               b.out);
}
RIGHT(passes_a_struct, 150);

__constant__ float factors[4];
__global__ void multiplies(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i] * factors[i % 4];
}
void constant_memory(const Bench& b) {
  b.gpu.copy_to_constant(factors, b.in, 4);
  b.gpu.launch(b.config(), multiplies, b.in, b.out, b.n);
}
RIGHT(constant_memory, 350);

__device__ int launches_seen = 0;
__global__ void counts_in_a_variable(const float* in, float* out, int n) {
  const int i = global_index();
  if (i == 0) atomicAdd(&launches_seen, 1);
  if (i < n) out[i] = in[i];
}
RIGHT(counts_in_a_variable, 150);

__device__ float sum_of(const float* in, int first, int last) {
  if (last - first == 1) return in[first];
  const int middle = (first + last) / 2;
  return sum_of(in, first, middle) + sum_of(in, middle, last);
}
__global__ void recursion(const float* in, float* out, int n) {
  if (global_index() == 0) *out = sum_of(in, 0, n);
}
RIGHT(recursion, 150);

__global__ void local_arrays(const float* in, float* out, int n) {
  float sums[4] = {};
  const int i = global_index();
  for (int k = 0; k < n; ++k)
    sums[k % 4] += in[k];
  if (i < 4) out[i] = sums[(i + 1) % 4];
}
RIGHT(local_arrays, 150);

__global__ void large_local_array(const float* in, float* out, int n) {
  float copy[50000];
  for (int i = 0; i < 50000; ++i)
    copy[i] = in[i % n];
  if (global_index() == 0) *out = copy[3] + copy[49999];
}
RIGHT(large_local_array, 6);

__global__ void lambdas(const float* in, float* out, int n) {
  float sum = 0;
  const auto add = [&](int i) { sum += in[i]; };
  for (int i = global_index(); i < n; i += blockDim.x * gridDim.x)
    add(i);
  atomicAdd(out, sum);
}
RIGHT(lambdas, 150);

__global__ void copies_memory(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) memcpy(out + i, in + i, sizeof(float));
}
RIGHT(copies_memory, 150);

__global__ void asserts_and_prints(const float* in, float* out, int n) {
  const int i = global_index();
  assert(n > 0 && "there is something to do");
  if (i == n) printf("thread %d has nothing to do\n", i);
  if (i < n) out[i] = in[i];
}
RIGHT(asserts_and_prints, 150);

// An output that is written twice, and one that is written by two launches.
__global__ void overwrites(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = 7;
  if (i < n) out[i] = in[i];
}
void two_launches(const Bench& b) {
  auto* const middle = b.gpu.scratch<float>(b.n);
  b.gpu.launch(b.config(), overwrites, b.in, middle, b.n);
  b.gpu.launch(b.config(), overwrites, static_cast<const float*>(middle), b.out,
               b.n);
  b.gpu.copy(middle, b.in, 4);
}
RIGHT(two_launches, 150);

// ---- shared memory

__global__ void extern_shared(const float* in, float* out, int n) {
  extern __shared__ float floats[];
  const int i = global_index(), last = blockDim.x - 1;
  floats[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  atomicAdd(&out[i % n], floats[last - threadIdx.x]);
}
RIGHT(extern_shared, 150);

__global__ void extern_shared_in_two_parts(const float* in, float* out, int n) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const counts = reinterpret_cast<short*>(memory);
  auto* const weights = reinterpret_cast<unsigned char*>(counts + blockDim.x);
  const int i = global_index();
  counts[threadIdx.x] = i < n ? static_cast<short>(in[i]) : 0;
  weights[threadIdx.x] = 1;
  __syncthreads();
  if (i < n)
    out[i] = counts[threadIdx.x] * weights[blockDim.x - 1 - threadIdx.x];
}
RIGHT(extern_shared_in_two_parts, 150);

template <typename T>
__global__ void extern_shared_of_any_type(const float* in, float* out, int n) {
  extern __shared__ __align__(16) unsigned char any_type[];
  T* const values = reinterpret_cast<T*>(any_type);
  if (threadIdx.x < 8) values[threadIdx.x] = static_cast<T>(in[threadIdx.x]);
  __syncthreads();
  const int i = global_index();
  if (i < n) out[i] = static_cast<float>(values[i % 8]);
}
RIGHT(extern_shared_of_any_type<double>, 150);
RIGHT(extern_shared_of_any_type<short>, 150);

__device__ float reversed(float value, int count) {
  static __shared__ float all[64];
  all[threadIdx.x] = value;
  __syncthreads();
  return all[count - 1 - threadIdx.x];
}
__global__ void shared_in_a_function(const float* in, float* out, int n) {
  const int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  const float value = reversed(i < n ? in[i] : 0, blockDim.x);
  atomicAdd(&out[i % n], value);
}
RIGHT(shared_in_a_function, 150).at(100, 64);

__global__ void padded_transpose(const float* in, float* out, int) {
  __shared__ float tile[8][9];
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  tile[y][x] = in[8 * y + x];
  __syncthreads();
  out[8 * y + x] = tile[x][y];
}
RIGHT(padded_transpose, 96).at(64, 64);

__global__ void stencil_with_halo(const float* in, float* out, int n) {
  __shared__ float tile[34];
  const int i = global_index(), t = threadIdx.x + 1;
  tile[t] = i < n ? in[i] : 0;
  if (t == 1) tile[0] = i > 0 ? in[i - 1] : 0;
  if (t == 32) tile[33] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = tile[t - 1] + tile[t] + tile[t + 1];
}
RIGHT(stencil_with_halo, 447);

// ---- narrow types and tensor cores

__global__ void halves(const float* in, float* out, int n) {
  const int i = global_index();
  if (i >= n) return;
  const __half x = __float2half(in[i]), two = 2.0f;
  __half y = __hfma(x, two, __half(1)) - __float2half(1.0f);
  y /= two;
  if (__hge(y, __half(0))) out[i] = __half2float(y);
}
RIGHT(halves, 150);

__global__ void pairs_of_bfloat16(const float* in, float* out, int n) {
  const int i = global_index();
  if (2 * i >= n) return;
  __nv_bfloat162 pair = __floats2bfloat162_rn(in[2 * i], in[2 * i + 1]);
  pair = __hmul2(pair, __float2bfloat162_rn(2));
  const float2 both =
      __bfloat1622float2(__h2div(pair, __float2bfloat162_rn(2)));
  out[2 * i] = both.x;
  out[2 * i + 1] = __bfloat162float(__float2bfloat16(both.y));
}
RIGHT(pairs_of_bfloat16, 150);

__global__ void atomics_of_halves(const float* in, float* out, int n) {
  __shared__ __half2 sum;
  if (threadIdx.x == 0) sum = __float2half2_rn(0);
  __syncthreads();
  const int i = global_index();
  if (i < n) atomicAdd(&sum, __floats2half2_rn(in[i], 1));
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, __low2float(sum));
}
RIGHT(atomics_of_halves, 150);

// Products whose elements are also located one by one: every lane counts how
// many of its four agree.
__device__ float left_factor(int row, int k) {
  return static_cast<float>((3 * row + 5 * k) % 7 - 3);
}
__device__ float right_factor(int k, int col) {
  return static_cast<float>((2 * k + 3 * col) % 5);
}
__device__ float agreeing(const float (&sum)[4], int depth) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  int count = 0;
  for (int i = 0; i < 4; ++i) {
    float expected = 1;
    for (int k = 0; k < depth; ++k) {
      expected +=
          left_factor(g + i / 2 * 8, k) * right_factor(k, 2 * t + i % 2);
    }
    count += sum[i] == expected;
  }
  return static_cast<float>(count);
}

template <typename Pair>
__global__ void tensor_pairs(const float*, float* out, int) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  const auto left = [](int row, int k) {
    return Pair{left_factor(row, k), left_factor(row, k + 1)};
  };
  const Pair a[4] = {left(g, 2 * t), left(g + 8, 2 * t), left(g, 2 * t + 8),
                     left(g + 8, 2 * t + 8)};
  const Pair b[2] = {{right_factor(2 * t, g), right_factor(2 * t + 1, g)},
                     {right_factor(2 * t + 8, g), right_factor(2 * t + 9, g)}};
  float sum[4] = {1, 1, 1, 1};
  parlab::tensor_multiply_add(sum, a, b);
  out[threadIdx.x] = agreeing(sum, 16);
}
RIGHT(tensor_pairs<__half2>, 128).at(32, 32);
RIGHT(tensor_pairs<__nv_bfloat162>, 128).at(32, 32);

__global__ void tensor_tf32(const float*, float* out, int) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  // A part too small for 11 bits is rounded away.
  const auto left = [](int row, int k) {
    const float x = left_factor(row, k);
    return parlab::to_tf32(x + x / 16384);
  };
  const float a[4] = {left(g, t), left(g + 8, t), left(g, t + 4),
                      left(g + 8, t + 4)};
  const float b[2] = {right_factor(t, g), right_factor(t + 4, g)};
  float sum[4] = {1, 1, 1, 1};
  parlab::tensor_multiply_add(sum, a, b);
  out[threadIdx.x] = agreeing(sum, 8);
}
RIGHT(tensor_tf32, 128).at(32, 32);

template <int K>
__global__ void tensor_doubles(const float*, float* out, int) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  double a[K / 2], b[K / 4], sum[4] = {1, 1, 1, 1};
  for (int i = 0; i < K / 2; ++i)
    a[i] = left_factor(g + i % 2 * 8, t + i / 2 * 4);
  for (int i = 0; i < K / 4; ++i)
    b[i] = right_factor(t + i * 4, g);
  parlab::tensor_multiply_add<K>(sum, a, b);
  float sums[4];
  for (int i = 0; i < 4; ++i)
    sums[i] = static_cast<float>(sum[i]);
  out[threadIdx.x] = agreeing(sums, K);
}
RIGHT(tensor_doubles<4>, 128).at(32, 32);
RIGHT(tensor_doubles<8>, 128).at(32, 32);
RIGHT(tensor_doubles<16>, 128).at(32, 32);

}  // namespace
