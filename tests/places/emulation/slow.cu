// Planted: correct, but slow by one mistake each; its line is marked "// slow".
#include "places/emulation/slow.hpp"

namespace planted {
std::vector<Slow>& slow_kernels() {
  static std::vector<Slow> all;
  return all;
}
}  // namespace planted

namespace {

struct AddSlow {
  AddSlow(const planted::Slow& one) { planted::slow_kernels().push_back(one); }
};
#define SLOW(name, n, block, ...)                                            \
  const AddSlow add_##name(                                                  \
      {planted::Case{#name, planted::Kind::right, planted::launch(name)}.at( \
           n, block),                                                        \
       {__VA_ARGS__}})

__device__ int global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void coalesced(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = 2 * in[i];
}
SLOW(coalesced, 8192, 128);

__global__ void strided_load(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i] = in[i % 64 * (n / 64) + i / 64];  // slow
}
SLOW(strided_load, 8192, 128, "load of in touches 32 sectors where 4 would do",
     "neighbouring threads are 512 bytes apart");

__global__ void strided_store(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) out[i % 64 * (n / 64) + i / 64] = in[i];  // slow
}
SLOW(strided_store, 8192, 128, "store to out touches 32 sectors where 4");

__global__ void misaligned(const float* in, float* out, int n) {
  const int i = global_index();
  if (i + 3 < n) out[i] = in[i + 3];  // slow
}
SLOW(misaligned, 8192, 128, "load of in touches 5 sectors where 4",
     "does not begin a sector");

__global__ void piece_by_piece(const float* in, float* out, int n) {
  const int i = global_index();
  if (4 * i >= n) return;
  float sum = 0;
#pragma GCC unroll 1
  for (int k = 0; k < 4; ++k)
    sum += in[4 * i + k];  // slow
  out[i] = sum;
}
SLOW(piece_by_piece, 16384, 64, "load of in touches 16 sectors where 4",
     "neighbouring threads are 16 bytes apart", "a wider load");

__global__ void one_bank(const float* in, float* out, int n) {
  __shared__ float tile[32 * 32];
  const int i = global_index();
  tile[threadIdx.x % 32 * 32 + threadIdx.x / 32] = i < n ? in[i] : 0;  // slow
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x % 32 * 32 + threadIdx.x / 32];
}
SLOW(one_bank, 8192, 128, "takes 32 wavefronts where 1 would do",
     "meet at the same banks");

__global__ void every_second_thread(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n && i % 4 == 0) out[i] = in[i] + 1;  // slow
}
SLOW(every_second_thread, 8192, 128, "8 of 32 lanes");

__global__ void one_counter(const float* in, float* out, int n) {
  const int i = global_index();
  if (i < n) atomicAdd(out, in[i]);  // slow
}
SLOW(one_counter, 8192, 128, "atomic on out has 32 of 32 lanes at one word");

__global__ void reads_again(const float* in, float* out, int n) {
  const int i = global_index();
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += in[k];  // slow
  out[i] = sum;
}
SLOW(reads_again, 8192, 128, "load of in brings each sector 2048 times",
     "registers can keep it");

__global__ void few_blocks(const float* in, float* out, int n) {
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i];
}
SLOW(few_blocks, 1024, 128, "the largest launch has 8 blocks of 128 threads");

// ---- accesses that nvcc and a GPU combine

__global__ void both_arms(const float* in, float* out, int n) {
  const int i = global_index(), lane = i % 32;
  if (i >= n) return;
  const bool inside = lane > 0 && lane < 31;
  out[i] = inside ? in[i - 1] + in[i] + in[i + 1] : in[i];
}
SLOW(both_arms, 8192, 128);

__global__ void skips_a_turn(const float* in, float* out, int n) {
  const int begin = global_index() / 32 * 64;
  for (int x = threadIdx.x % 32; x < 64; x += 32) {
    if (x > 0 && begin + x < n) out[begin + x] = in[begin + x];
  }
}
SLOW(skips_a_turn, 8192, 128);

__global__ void small_sums(const float* in, float* out, int n) {
  alignas(16) __shared__ float sums[4];
  const int i = global_index();
  if (threadIdx.x < 4) sums[threadIdx.x] = i < n ? in[i] : 0;  // slow
  __syncthreads();
  float total = 0;
  for (int w = 0; w < 4; ++w)
    total += sums[w];
  if (i < n) out[i] = total;
}
SLOW(small_sums, 8192, 128, "4 of 32 lanes");

__global__ void tree_of_sums(const float* in, float* out, int n) {
  __shared__ float part[128];
  const int i = global_index();
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];  // slow
    __syncthreads();
  }
  if (i < n) out[i] = part[0];
}
SLOW(tree_of_sums, 8192, 128, "lanes");

}  // namespace
