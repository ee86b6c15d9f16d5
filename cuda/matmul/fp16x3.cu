// Float with float's accuracy on the tensor cores, with half of the products: each element is split
// into two halves, which hold 22 of its 24 bits and the sign of the rest, and three products of
// them are computed. What is lost, 2^-22 of a product, is far less than what the sums of a float
// loop lose, as soon as there are many products to a sum.
//
// Half has few exponents, though: both matrices are scaled by a power of two, and elements far
// below the largest lose more. That does no harm as long as every sum has large products beside
// them. So it is looked at: where in each row of A and in each column of B three of four elements
// are at least 2^-10 of the largest, half of the products of each sum are at least 2^-20 of the
// largest possible, and what is lost is 2^-51 of it. Where not, or where sums are short, the device
// takes three bfloat16 instead, as the rung below; the kernels of the way not taken return at once.
#include "split.cuh"

using namespace parlab;

namespace {

// The nearest half, and what a half is.
__device__ __forceinline__ std::uint16_t nearest_half([[maybe_unused]] float value) {
  std::uint16_t bits = 0;
  PARLAB_SM90A("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
__device__ __forceinline__ float of_half([[maybe_unused]] std::uint16_t bits) {
  float value = 0;
  PARLAB_SM90A("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}

__global__ void matmul_largest(const float* matrix, std::int64_t count, std::uint32_t* largest) {
  __shared__ std::uint32_t of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  std::uint32_t mine = 0;  // magnitudes are ordered as their bits are
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    mine = max(mine, __float_as_uint(matrix[i]) & 0x7fffffff);
  }
  atomicMax(&of_block, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(largest, of_block);
}

// Two halves per element. A block takes 256 rows x 64 columns, a thread 8 neighbours in every 32nd
// row. `large` counts, for each row (BY_ROW) or column, the elements of at least 2^-10 of the
// largest.
template <bool BY_ROW>
__global__ void matmul_split_half(const float* from, std::uint16_t* to, std::int64_t height,
                                  std::int64_t width, std::int64_t pitch,
                                  const std::uint32_t* largest, int* large) {
  __shared__ int of_block[BY_ROW ? 256 : 64];
  for (int i = threadIdx.x; i < (BY_ROW ? 256 : 64); i += blockDim.x) of_block[i] = 0;
  __syncthreads();
  const int exponent = split_exponent(*largest);
  // A scale beyond the exponents of float marks the matrix as uneven, see matmul_judge().
  const float scale = power_of_two(max(-126, min(exponent, 127)));
  const std::int64_t across = ceil_div(pitch, std::int64_t{64});
  const std::int64_t row0 = blockIdx.x / across * 256;
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  const std::int64_t col = blockIdx.x % across * 64 + x * 8;
  int in_column[8] = {};
  for (int r = y; r < 256; r += 32) {
    const std::int64_t row = row0 + r;
    if (row >= height || col >= pitch) break;
    SplitPiece piece[2];
    int in_row = 0;
    _Pragma("unroll")
    for (int e = 0; e < 8; ++e) {
      const float value = col + e < width ? from[row * width + col + e] * scale : 0.0f;
      const bool counts = fabsf(value) >= 0x1p4f;
      in_row += counts;
      in_column[e] += counts;
      piece[0].element[e] = nearest_half(value);
      piece[1].element[e] = nearest_half((value - of_half(piece[0].element[e])) * 0x1p11f);
    }
    *reinterpret_cast<SplitPiece*>(to + row * pitch + col) = piece[0];
    *reinterpret_cast<SplitPiece*>(to + (height + row) * pitch + col) = piece[1];
    if (BY_ROW) atomicAdd(&of_block[r], in_row);
  }
  if (!BY_ROW) {
    _Pragma("unroll")
    for (int e = 0; e < 8; ++e) atomicAdd(&of_block[x * 8 + e], in_column[e]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < (BY_ROW ? 256 : 64); i += blockDim.x) {
    const std::int64_t at = BY_ROW ? row0 + i : blockIdx.x % across * 64 + i;
    if (at < (BY_ROW ? height : width)) atomicAdd(&large[at], of_block[i]);
  }
}

// Uneven if a row of A or a column of B has fewer large elements than three of four, or if the
// exponents are at the ends of float's range. A thread looks at one of them.
__global__ void matmul_judge(SplitFacts* facts, const int* large, std::int64_t count,
                             std::int64_t k) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count && 4 * std::int64_t{large[i]} < 3 * k) facts->uneven = 1;
  if (i < 2 && abs(split_exponent(facts->largest[i])) > 110) facts->uneven = 1;
}

}  // namespace

const Register<Matmul, float> variant(
    {.rung = 16,
     .idea = "float split into two halves each, three products, where that keeps float's accuracy",
     .arithmetic = Arithmetic::fp16x3,
     .units = {{Dtype::f32, "tensor half"}},
     .hardware = "warpgroup products, bulk tensor copies and clusters"},
    [](Gpu& gpu, const Matmul::Args<float>& p, const Tunables&) {
      refuse_without_warpgroups();
      if (p.k < few_products) return multiply_few(gpu, p);
      auto* const a = gpu.scratch<std::uint16_t>(3 * p.m * split_pitch(p.k));
      auto* const b = gpu.scratch<std::uint16_t>(3 * p.k * split_pitch(p.n));
      if (p.k < 256) return multiply_three_bfloat16(gpu, p, a, b, nullptr);
      // What is found out, and the counts of each row of A and column of B behind it.
      const std::int64_t facts_bytes = sizeof(SplitFacts) + (p.m + p.n) * sizeof(int);
      auto* const facts = reinterpret_cast<SplitFacts*>(gpu.scratch<unsigned char>(facts_bytes));
      int* const large = reinterpret_cast<int*>(facts + 1);
      gpu.clear(facts, facts_bytes);
      const auto look = [&](const float* matrix, std::int64_t count, int which) {
        gpu.launch(
            {.grid = {std::min<std::int64_t>(ceil_div(count, 256), gpu.multiprocessors() * 8)},
             .block = {256}},
            matmul_largest, matrix, count, &facts->largest[which]);
      };
      const auto split = [&](auto kernel, const float* matrix, std::uint16_t* to,
                             std::int64_t height, std::int64_t width, int which, int* counts) {
        const std::int64_t pitch = split_pitch(width);
        gpu.launch({.grid = {ceil_div(height, 256) * ceil_div(pitch, 64)}, .block = {256}}, kernel,
                   matrix, to, height, width, pitch, &facts->largest[which], counts);
      };
      look(p.a, p.m * p.k, 0);
      look(p.b, p.k * p.n, 1);
      split(matmul_split_half<true>, p.a, a, p.m, p.k, 0, large);
      split(matmul_split_half<false>, p.b, b, p.k, p.n, 1, large + p.m);
      gpu.launch({.grid = {ceil_div(p.m + p.n, 256)}, .block = {256}}, matmul_judge, facts, large,
                 p.m + p.n, p.k);
      launch_split_products<TwoHalves>(gpu, p, a, b, facts, 0);
      multiply_three_bfloat16(gpu, p, a, b, facts);
    });
