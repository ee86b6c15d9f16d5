// Products of float with float's accuracy on the tensor cores, by splitting: each element becomes a
// sum of narrow parts, and the products of parts that matter are computed by warpgroup products,
// exactly, before they are added up.
//
// The additions need care: a tensor core cuts off what does not fit, always towards zero, and over
// thousands of additions that adds up. So the large products, of first parts, are summed over 64
// columns of A only; what comes out is added to a sum in ordinary registers, rounded to nearest.
// The small products have sums of their own along all of k, which also take what those additions
// rounded off. That is 192 registers of sums per thread, for 64 x 128 of C per warpgroup.
//
// Otherwise as in `overlapped`: persistent blocks in clusters of two that share what they read of
// B, one warp that copies, two warpgroups that multiply.
#pragma once

#include <algorithm>

#include "gpu/warpgroup.hpp"
#include "place.cuh"
#include "warpgroup.cuh"
#include "workloads/matmul.hpp"

namespace parlab {

// a = a0 + a1 + a2, three bfloat16 of 8 bits each: all of a float. Of the nine products the three
// that are left out are smaller than the last bit of the whole.
struct ThreeBfloat16 {
  static constexpr Factor factor = Factor::bf16;
  static constexpr MapElement element = MapElement::bf16;
  static constexpr int parts = 3, stages = 4;
  static constexpr int small_products = 5;  // the smallest first: of which parts of a and of b
  static constexpr int a_part(int product) { return product < 3 ? product : product - 3; }
  static constexpr int b_part(int product) { return product < 3 ? 2 - product : 4 - product; }
  static constexpr float small_unit = 1;
};

// a = a0 + a1, two halves of 11 bits each, of a scaled so that the largest element of the matrix is
// just below 2^15, and of the rest scaled by 2^11 once more: what is lost is 2^-23 of an element,
// or 2^-51 of the largest.
struct TwoHalves {
  static constexpr Factor factor = Factor::f16;
  static constexpr MapElement element = MapElement::f16;
  static constexpr int parts = 2, stages = 6;
  static constexpr int small_products = 2;
  static constexpr int a_part(int product) { return product; }
  static constexpr int b_part(int product) { return 1 - product; }
  static constexpr float small_unit = 0x1p-11f;
};

template <typename Scheme>
struct SplitTile {
  static constexpr int rows = 128, cols = 128, depth = 32;  // of C; columns of A in a stage
  static constexpr int a_part = rows * depth * 2,
                       b_part = depth * 128;  // bytes; of 64 columns of B
  static constexpr int panel = Scheme::parts * b_part;
  static constexpr int stage_bytes = Scheme::parts * a_part + 2 * panel;
  static constexpr int steps_per_sum = 2;
  static constexpr int warps = 8, threads = 32 * warps;
  static constexpr int shared_bytes = Scheme::stages * stage_bytes + 1024;
};

// What is found out about A and B on the device, before they are multiplied.
struct SplitFacts {
  std::uint32_t largest[2];  // of the magnitudes in A, in B: the bits of a float
  std::uint32_t uneven;      // two halves would lose too much
};

// The power of two that scales a matrix of this largest magnitude.
__device__ __forceinline__ int split_exponent(std::uint32_t largest) {
  return 14 - (static_cast<int>(largest >> 23) - 127);
}
__device__ __forceinline__ float power_of_two(int exponent) {
  return __uint_as_float(static_cast<std::uint32_t>(exponent + 127) << 23);
}

// `only_if`: the kernel does its work if facts->uneven is that; nullptr: in any case. C is the
// product of the parts in a and b times 2^-(exponents of A and B) for two halves.
template <typename Scheme>
__global__ void PARLAB_CLUSTER(2) __launch_bounds__(384, 1)
    matmul_split_products(const PARLAB_GRID_CONSTANT TensorMap a,
                          const PARLAB_GRID_CONSTANT TensorMap b, const SplitFacts* facts,
                          std::uint32_t only_if, float* c, std::int64_t m, std::int64_t k,
                          std::int64_t n) {
  using Tile = SplitTile<Scheme>;
  constexpr int stages = Scheme::stages;
  if (facts != nullptr && facts->uneven != only_if) return;
  unsigned char* const shared = aligned_shared_memory();
  __shared__ Barrier full[stages], empty[stages];
  const auto steps = static_cast<int>(ceil_div(k, Tile::depth));
  const auto down = static_cast<int>(ceil_div(m, 2 * Tile::rows));  // pairs of tiles
  const auto across = static_cast<int>(ceil_div(n, Tile::cols));
  const int rank = block_in_cluster();
  const auto each_tile = [&](auto compute) {
    for (int pair = blockIdx.x / 2; pair < down * across; pair += gridDim.x / 2) {
      int row, col;
      place_of_tile<8>(pair, down, across, row, col);
      compute((2 * row + rank) * Tile::rows, col * Tile::cols);
    }
  };

  if (threadIdx.x == 0) {
    for (Barrier& barrier : full) init_barrier(barrier, 1);
    for (Barrier& barrier : empty) init_barrier(barrier, 2 * Tile::warps);
    publish_barriers();
  }
  sync_cluster();

  Ring<stages> ring;
  if (threadIdx.x >= Tile::threads) {  // ---- the third warpgroup copies
    give_registers<24>();
    if (threadIdx.x == Tile::threads) {
      each_tile([&](int row0, int col0) {
        for (int step = 0; step < steps; ++step, ring.advance()) {
          unsigned char* const stage = shared + ring.stage * Tile::stage_bytes;
          wait(empty[ring.stage], ring.parity ^ 1);
          arrive_expecting(full[ring.stage], Tile::stage_bytes);
          load_box(stage, a, full[ring.stage], step * Tile::depth, row0);
          load_box(stage + Scheme::parts * Tile::a_part + rank * Tile::panel, b, full[ring.stage],
                   std::uint16_t{0b11}, col0 + rank * 64, step * Tile::depth, 0);
        }
      });
    }
    __syncwarp();
  } else {  // ---- two multiply
    take_registers<240>();
    const int thread = threadIdx.x, group = thread / 128, lane = thread % 32;
    each_tile([&](int row0, int col0) {
      float sum[64], large[64], small[64];
      _Pragma("unroll")
      for (float& s : sum) s = 0;
      _Pragma("unroll 1")
      for (int step = 0; step < steps; ++step) {
        wait(full[ring.stage], ring.parity);
        const unsigned char* const stage = shared + ring.stage * Tile::stage_bytes;
        const std::uint64_t first_a = operand_in_shared<64>(stage + group * 64 * 64, 512);
        const std::uint64_t first_b =
            operand_in_shared<128>(stage + Scheme::parts * Tile::a_part, 1024, Tile::panel);
        const auto multiply = [&](float(&to)[64], int i, int a_number, int b_number, bool add) {
          multiply_add<Scheme::factor, true>(
              to, first_a + (a_number * Tile::a_part + i * 32) / 16,
              first_b + (b_number * Tile::b_part + i * 16 * 128) / 16, add);
        };
        begin_products();
        _Pragma("unroll")
        for (int i = 0; i < Tile::depth / 16; ++i) {
          _Pragma("unroll")
          for (int p = 0; p < Scheme::small_products; ++p) {
            multiply(small, i, Scheme::a_part(p), Scheme::b_part(p), step > 0 || i > 0 || p > 0);
          }
          multiply(large, i, 0, 0, step % Tile::steps_per_sum > 0 || i > 0);
        }
        end_products();
        wait_for_products<0>();
        if (lane < 2) arrive_in_cluster(empty[ring.stage], lane);
        ring.advance();
        if ((step + 1) % Tile::steps_per_sum == 0 || step + 1 == steps) {
          pin_registers(large);
          pin_registers(small);
          _Pragma("unroll")
          for (int i = 0; i < 64; ++i) {
            const float before = sum[i];
            sum[i] += large[i];
            // What was rounded off, exactly where the sum is the larger one: Dekker, 1971.
            small[i] += (large[i] - (sum[i] - before)) * (1 / Scheme::small_unit);
          }
        }
      }
      float scale = 1, scale_again = 1;  // their product may be too small for one float
      if (Scheme::factor == Factor::f16) {
        const int back = -split_exponent(facts->largest[0]) - split_exponent(facts->largest[1]);
        scale = power_of_two(back / 2);
        scale_again = power_of_two(back - back / 2);
      }
      const auto result = [&](int i) {
        return (sum[i] + small[i] * Scheme::small_unit) * scale * scale_again;
      };
      const bool pairs = n % 2 == 0;
      _Pragma("unroll")
      for (int part = 0; part < 2; ++part) {
        const std::int64_t row = row0 + thread / 32 * 16 + part * 8 + lane / 4;
        if (row >= m) continue;
        _Pragma("unroll")
        for (int j = 0; j < 16; ++j) {
          const std::int64_t col = col0 + 8 * j + lane % 4 * 2;
          const int at = 4 * j + 2 * part;
          float* const to = c + row * n + col;
          if (pairs && col < n) {
            *reinterpret_cast<float2*>(to) = float2{result(at), result(at + 1)};
          } else {
            if (col < n) to[0] = result(at);
            if (col + 1 < n) to[1] = result(at + 1);
          }
        }
      }
    });
  }
  sync_cluster();
}

// Sums of a few products: a thread per element.
constexpr std::int64_t few_products = 16;
static __global__ void matmul_few(const float* a, const float* b, float* c, std::int64_t m,
                                  std::int64_t k, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  const std::int64_t row = i / n, col = i % n;
  float sum = 0;
  for (std::int64_t l = 0; l < k; ++l) sum = fmaf(a[row * k + l], b[l * n + col], sum);
  c[i] = sum;
}

struct alignas(16) SplitPiece {
  std::uint16_t element[8];
};

// Three bfloat16 whose sum is the element, each the rest of the ones before rounded to nearest.
// What is not finite stays in the first alone. A thread splits 8 neighbours; rows are `pitch` long
// and filled up with zeros.
static __global__ void matmul_split_bfloat16(const float* from, std::uint16_t* to,
                                             std::int64_t height, std::int64_t width,
                                             std::int64_t pitch, const SplitFacts* facts) {
  constexpr int parts = ThreeBfloat16::parts;
  if (facts != nullptr && facts->uneven == 0) return;
  const std::int64_t across = pitch / 8;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= height * across) return;
  const std::int64_t row = i / across, col = i % across * 8;
  SplitPiece piece[parts];
  _Pragma("unroll")
  for (int e = 0; e < 8; ++e) {
    float rest = col + e < width ? from[row * width + col + e] : 0.0f;
    _Pragma("unroll")
    for (int part = 0; part < parts; ++part) {
      const std::uint32_t bits = __float_as_uint(rest);
      // Ties to even; a number that would round to infinity is cut off instead.
      std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
      if ((rounded & 0x7f800000) == 0x7f800000) rounded = bits & 0xffff0000;
      piece[part].element[e] = static_cast<std::uint16_t>(rounded >> 16);
      rest = (bits & 0x7f800000) == 0x7f800000 ? 0.0f : rest - __uint_as_float(rounded);
    }
  }
  _Pragma("unroll")
  for (int part = 0; part < parts; ++part) {
    *reinterpret_cast<SplitPiece*>(to + (part * height + row) * pitch + col) = piece[part];
  }
}

// ---- on the host
// ---------------------------------------------------------------------------------

inline std::int64_t split_pitch(std::int64_t width) { return ceil_div(width, std::int64_t{8}) * 8; }

// The products of parts that lie in a and b, one part after the other, rows of split_pitch().
template <typename Scheme>
void launch_split_products(Gpu& gpu, const Matmul::Args<float>& p, const std::uint16_t* a,
                           const std::uint16_t* b, const SplitFacts* facts, std::uint32_t only_if) {
  using Tile = SplitTile<Scheme>;
  const std::int64_t a_pitch = 2 * split_pitch(p.k), b_pitch = 2 * split_pitch(p.n);
  const TensorMap a_map = tensor_map({Scheme::element,
                                      a,
                                      {p.k, p.m, Scheme::parts},
                                      {a_pitch, p.m * a_pitch},
                                      {Tile::depth, Tile::rows, Scheme::parts},
                                      64});
  const TensorMap b_map = tensor_map({Scheme::element,
                                      b,
                                      {p.n, p.k, Scheme::parts},
                                      {b_pitch, p.k * b_pitch},
                                      {64, Tile::depth, Scheme::parts},
                                      128});
  const std::int64_t pairs = ceil_div(p.m, 2 * Tile::rows) * ceil_div(p.n, Tile::cols);
  const std::int64_t clusters = std::min<std::int64_t>(pairs, gpu.multiprocessors() / 2);
  gpu.launch(
      {.grid = {2 * clusters}, .block = {Tile::threads + 128}, .shared_bytes = Tile::shared_bytes},
      matmul_split_products<Scheme>, a_map, b_map, facts, only_if, p.c, p.m, p.k, p.n);
}

inline void multiply_few(Gpu& gpu, const Matmul::Args<float>& p) {
  gpu.launch({.grid = {ceil_div(p.m * p.n, 256)}, .block = {256}}, matmul_few, p.a, p.b, p.c, p.m,
             p.k, p.n);
}

// Splits A and B into three bfloat16 each and multiplies; with facts only if they are uneven.
inline void multiply_three_bfloat16(Gpu& gpu, const Matmul::Args<float>& p, std::uint16_t* a,
                                    std::uint16_t* b, const SplitFacts* facts) {
  const auto split = [&](const float* from, std::uint16_t* to, std::int64_t height,
                         std::int64_t width) {
    const std::int64_t pitch = split_pitch(width);
    gpu.launch({.grid = {ceil_div(height * pitch / 8, 256)}, .block = {256}}, matmul_split_bfloat16,
               from, to, height, width, pitch, facts);
  };
  split(p.a, a, p.m, p.k);
  split(p.b, b, p.k, p.n);
  launch_split_products<ThreeBfloat16>(gpu, p, a, b, facts, 1);
}

}  // namespace parlab
