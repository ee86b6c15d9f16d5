// Products of float with float's accuracy on the tensor cores, by splitting:
// each element becomes a sum of narrow parts. Warpgroup products compute the
// relevant products of parts exactly, before they are added up.
//
// The additions need care: a tensor core cuts off the bits that do not fit,
// always towards zero, and over thousands of additions that adds up. So the
// large products, those of first parts, are summed over 64 columns of A only.
// The result is added, rounded to nearest, to a sum in ordinary registers.
// These additions are so few that they lose less than those of a float loop.
// The small products have sums of their own along all of k. That is 192
// registers of sums per thread, for 64 x 128 of C per warpgroup.
//
// The small products of some columns run while the large ones are added and
// while another warpgroup multiplies. There have to be enough of them, so
// with two halves a stage is 64 columns deep.
//
// The rest is as in `overlapped`: persistent blocks in clusters of two that
// share their reads of B, one warp that copies, one or two warpgroups that
// multiply.
#pragma once

#include <algorithm>
#include <limits>

#include "gpu/overlap.hpp"
#include "gpu/warpgroup.hpp"
#include "place.cuh"
#include "split_parts.cuh"
#include "warpgroup.cuh"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

// ROWS x COLS of C. A warpgroup has 64 of the rows.
template <typename SCHEME, int ROWS = 128, int COLS = 128>
struct SplitTile : ClusterOfTiles<2, 1> {
  using Scheme = SCHEME;
  static constexpr int rows = ROWS, cols = COLS, panels = COLS / 64;
  static constexpr int depth = Scheme::depth;
  static constexpr int a_row = 2 * depth;  // bytes
  static constexpr int a_part = rows * a_row,
                       b_part = depth * 128;  // for 64 columns of B
  static constexpr int panel = Scheme::parts * b_part;
  static constexpr int stage_bytes = Scheme::parts * a_part + panels * panel;
  static constexpr int stages = 192 * 1024 / stage_bytes;
  static constexpr int steps_per_sum = 64 / depth;
  // in a group of tiles that are taken together
  static constexpr int clusters_down = 1024 / rows;
  static constexpr int warps = rows / 16, threads = 32 * warps;
  static constexpr int shared_bytes = stages * stage_bytes + 1024;
};

// C = A B, m x n, as the kernel below needs it: the tiles that there are, the
// layout of A, and the store of a sum.
struct PlainProduct {
  float* c;
  std::int64_t m, n;
  // the array's rows are rows of A, not of its transpose
  static constexpr bool a_across = false;
  // B's index in SplitFacts::exponent; A's is 0
  static constexpr int b_facts = 1;

  template <typename Tile, typename Compute>
  __device__ __forceinline__ void each_tile(Compute compute) const {
    TilesOfBlock<Tile>(m, n).each(compute);
  }

  // Stores two neighbouring sums, col even.
  __device__ __forceinline__ void store(std::int64_t row, std::int64_t col,
                                        float left, float right) const {
    if (row < m) store_pair(c + row * n, col, n, left, right);
  }
};

// Asks for a stage: all parts of A's tile, and this block's panel of B's tile,
// which both blocks of the cluster get.
template <typename Tile, bool A_ACROSS>
__device__ __forceinline__ void copy_split_stage(unsigned char* stage,
                                                 Barrier& full,
                                                 const TensorMap& a,
                                                 const TensorMap& b, int step,
                                                 int row0, int col0) {
  using Scheme = Tile::Scheme;
  const int rank = block_in_cluster(), k0 = step * Tile::depth;
  arrive_expecting(full, Tile::stage_bytes);
  if constexpr (A_ACROSS) {
    _Pragma("unroll")
    for (int row = 0; row < Tile::rows; row += 64) {
      load_box(stage + row * Scheme::parts * Tile::a_row, a, full, row0 + row,
               k0);
    }
  } else {
    load_box(stage, a, full, k0, row0);
  }

  if (rank < Tile::panels) {
    load_box(stage + Scheme::parts * Tile::a_part + rank * Tile::panel, b, full,
             std::uint16_t{0b11}, col0 + rank * 64, k0, 0);
  }
}

// Starts the products of a stage: first the large ones, added to what is there
// or not, then the small ones as a separate group. A part of A is some columns
// of the tile's rows or, across k, panels of 64 columns, one per warpgroup,
// like those of B.
template <typename Tile, bool A_ACROSS, bool ADD>
__device__ __forceinline__ void start_split_products(
    const unsigned char* stage, float (&large)[Tile::cols / 2],
    float (&small)[Tile::cols / 2]) {
  using Scheme = Tile::Scheme;
  constexpr int a_part = A_ACROSS ? 64 * Tile::a_row : Tile::a_part;
  // bytes to the next 16 of k
  constexpr int a_slice = A_ACROSS ? 16 * 128 : 32;
  const int group = static_cast<int>(threadIdx.x) / 128;
  const std::uint64_t a0 =
      A_ACROSS
          ? operand_in_shared<128>(stage + group * Scheme::parts * a_part, 1024)
          : operand_in_shared<Tile::a_row>(stage + group * 64 * Tile::a_row,
                                           8 * Tile::a_row);
  const std::uint64_t b0 = operand_in_shared<128>(
      stage + Scheme::parts * Tile::a_part, 1024, Tile::panel);
  const auto multiply = [&](float(&to)[Tile::cols / 2], int i, int a_number,
                            int b_number, bool add = true) {
    multiply_add<Scheme::factor, true, A_ACROSS>(
        to, a0 + (a_number * a_part + i * a_slice) / 16,
        b0 + (b_number * Tile::b_part + i * 16 * 128) / 16, add);
  };
  begin_products();
  _Pragma("unroll")
  for (int i = 0; i < Tile::depth / 16; ++i)
    multiply(large, i, 0, 0, ADD || i > 0);
  end_products();
  _Pragma("unroll")
  for (int i = 0; i < Tile::depth / 16; ++i) {
    _Pragma("unroll")
    for (int p = 0; p < Scheme::small_products; ++p) {
      multiply(small, i, Scheme::a_part(p), Scheme::b_part(p));
    }
  }

  end_products();
}

// Adds up a thread's sums of a tile, scales them back for two halves, and
// stores them.
template <typename Tile, typename Product>
__device__ __forceinline__ void store_split_sums(
    const Product& product, const SplitFacts* facts, int row0, int col0,
    const float (&sum)[Tile::cols / 2], const float (&small)[Tile::cols / 2]) {
  using Scheme = Tile::Scheme;
  // two factors: their product may be too small for a float
  float scale = 1, scale_again = 1;
  if (Scheme::factor == Factor::f16) {
    const int back = -facts->exponent[0] - facts->exponent[Product::b_facts];
    scale = power_of_two(back / 2);
    scale_again = power_of_two(back - back / 2);
  }

  const auto result = [&](int i) {
    return (sum[i] + small[i] * Scheme::small_unit) * scale * scale_again;
  };
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  _Pragma("unroll")
  for (int part = 0; part < 2; ++part) {
    const std::int64_t row = row0 + warp * 16 + part * 8 + lane / 4;
    _Pragma("unroll")
    for (int j = 0; j < Tile::cols / 8; ++j) {
      const int at = 4 * j + 2 * part;
      product.store(row, col0 + 8 * j + lane % 4 * 2, result(at),
                    result(at + 1));
    }
  }
}

// The tensor maps of the parts of A and B.
struct MapsOfParts {
  TensorMap a, b;
};

// For two halves, C is the product of the parts in a and b times 2^-(exponents
// of A and B).
template <typename Tile, typename Product>
__device__ __forceinline__ void multiply_parts(const TensorMap& a,
                                               const TensorMap& b,
                                               const SplitFacts* facts,
                                               const Product& product,
                                               std::int64_t k) {
  constexpr int stages = Tile::stages, sums = Tile::cols / 2;
  unsigned char* const shared = fixed_address(aligned_shared_memory());
  __shared__ Barrier barriers[2 * stages];
  Barrier* const full = fixed_address(barriers);
  Barrier* const empty = full + stages;

  // Whole sums of large products; columns beyond the end are zero.
  const auto steps =
      static_cast<int>(ceil_div(k, Tile::depth * Tile::steps_per_sum)) *
      Tile::steps_per_sum;

  if (threadIdx.x == 0) {
    prefetch(a);
    prefetch(b);
    for (int stage = 0; stage < stages; ++stage) {
      init_barrier(full[stage], 1);
      init_barrier(empty[stage], 2 * Tile::warps);
    }
    publish_barriers();
  }

  sync_cluster();

  Ring<stages> ring;
  if (threadIdx.x >= Tile::threads) {  // ---- the last warpgroup copies
    give_registers<24>();
    if (threadIdx.x / 32 == Tile::warps && elected()) {
      product.template each_tile<Tile>([&](int row0, int col0) {
        for (int step = 0; step < steps; ++step, ring.advance()) {
          wait(empty[ring.stage], ring.parity ^ 1);
          copy_split_stage<Tile, Product::a_across>(
              shared + ring.stage * Tile::stage_bytes, full[ring.stage], a, b,
              step, row0, col0);
        }
      });
      wait_for_all_stages(empty, ring);
    }
  } else {  // ---- the others multiply
    take_registers<240>();
    const int lane = threadIdx.x % 32;
    const auto release = [&](int stage) {
      if (lane < 2) arrive_in_cluster(empty[stage], lane);
    };
    product.template each_tile<Tile>([&](int row0, int col0) {
      float sum[sums] = {}, large[sums] = {}, small[sums] = {};
      int before = 0;  // the stage whose products may still be under way
      _Pragma("unroll 1")
      for (int step = 0; step < steps; step += Tile::steps_per_sum) {
        const auto multiply = [&]<int s>() {
          wait(full[ring.stage], ring.parity);
          start_split_products<Tile, Product::a_across, (s > 0)>(
              shared + ring.stage * Tile::stage_bytes, large, small);
          wait_for_products<2>();
          if (step + s > 0) release(before);
          before = ring.stage;
          ring.advance();
        };
        static_assert(Tile::steps_per_sum <= 2);
        multiply.template operator()<0>();
        if constexpr (Tile::steps_per_sum == 2)
          multiply.template operator()<1>();
        wait_for_products<1>();  // the small products of the last stage run on
        pin_registers(large);
        _Pragma("unroll")
        for (int i = 0; i < sums; ++i)
          sum[i] += large[i];
        pin_registers(sum);
      }
      wait_for_products<0>();
      release(before);
      pin_registers(small);
      store_split_sums<Tile>(product, facts, row0, col0, sum, small);
    });
  }
}

// By the halves if the facts say that they will do; by three bfloat16 if not,
// or if there are no facts.
template <typename Product, int ROWS, int COLS>
__global__ void PARLAB_CLUSTER(2) __launch_bounds__(2 * ROWS + 128, 1)
    matmul_split_products(const PARLAB_GRID_CONSTANT MapsOfParts halves,
                          const PARLAB_GRID_CONSTANT MapsOfParts threes,
                          const SplitFacts* facts, Product product,
                          std::int64_t k) {
  let_next_launch_begin();
  wait_for_launch_before();
  if (facts != nullptr && facts->uneven == 0) {
    multiply_parts<SplitTile<TwoHalves, ROWS, COLS>>(halves.a, halves.b, facts,
                                                     product, k);
  } else {
    multiply_parts<SplitTile<ThreeBfloat16, ROWS, COLS>>(threes.a, threes.b,
                                                         facts, product, k);
  }
}

// For sums of few products: a thread per element.
constexpr std::int64_t few_products = 16;
__global__ void matmul_few(const float* a, const float* b, float* c,
                           std::int64_t m, std::int64_t k, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= m * n) return;

  const std::int64_t row = i / n, col = i % n;
  float sum = 0;
  for (std::int64_t l = 0; l < k; ++l)
    sum = fmaf(a[row * k + l], b[l * n + col], sum);
  c[i] = sum;
}

// ---- on the host

// The parts of a matrix, one after the other, with rows of split_pitch(width):
// boxes of `box_width` elements of `box_height` rows, of all parts.
template <typename Scheme>
TensorMap map_of_parts(const std::uint16_t* parts, std::int64_t height,
                       std::int64_t width, int box_height, int box_width) {
  const std::int64_t pitch = 2 * split_pitch(width);
  return tensor_map({Scheme::element,
                     parts,
                     {width, height, Scheme::parts},
                     {pitch, height * pitch},
                     {box_width, box_height, Scheme::parts},
                     2 * box_width});
}

template <typename Tile>
MapsOfParts maps_of_parts(const Matmul::Args<float>& p, const std::uint16_t* a,
                          const std::uint16_t* b) {
  return {
      map_of_parts<typename Tile::Scheme>(a, p.m, p.k, Tile::rows, Tile::depth),
      map_of_parts<typename Tile::Scheme>(b, p.k, p.n, Tile::depth, 64)};
}

template <int ROWS, int COLS>
constexpr int split_shared_bytes =
    std::max(SplitTile<TwoHalves, ROWS, COLS>::shared_bytes,
             SplitTile<ThreeBfloat16, ROWS, COLS>::shared_bytes);

template <int ROWS, int COLS>
void launch_split_products(Gpu& gpu, const Matmul::Args<float>& p,
                           const std::uint16_t* a, const std::uint16_t* b,
                           const SplitFacts* facts) {
  using Tile = SplitTile<TwoHalves, ROWS, COLS>;
  gpu.launch({.grid = {blocks_that_stay<Tile>(gpu, p.m, p.n)},
              .block = {Tile::threads + 128},
              .shared_bytes = split_shared_bytes<ROWS, COLS>,
              .overlaps = true},
             matmul_split_products<PlainProduct, ROWS, COLS>,
             maps_of_parts<Tile>(p, a, b),
             maps_of_parts<SplitTile<ThreeBfloat16, ROWS, COLS>>(p, a, b),
             facts, PlainProduct{p.c, p.m, p.n}, p.k);
}

// Multiplies the parts in a and b. The tile takes the least time by a model: as
// many rounds as it needs, each as long as its products and its copies. A line
// of a copy takes as long as the products of 112 sums, as measured on an H200.
template <typename Scheme>
void multiply_split(Gpu& gpu, const Matmul::Args<float>& p,
                    const std::uint16_t* a, const std::uint16_t* b,
                    const SplitFacts* facts) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  decltype(&launch_split_products<128, 128>) best = nullptr;
  const auto consider = [&]<int rows, int cols>() {
    using Tile = SplitTile<Scheme, rows, cols>;
    const std::int64_t rounds = ceil_div(clusters_of_tiles<Tile>(p.m, p.n),
                                         clusters_at_once<Tile>(gpu)),
                       time = rounds *
                              ((1 + Scheme::small_products) * rows * cols +
                               112 * Scheme::parts * (rows + cols));
    if (time < least) least = time, best = launch_split_products<rows, cols>;
  };
  consider.template operator()<128, 128>();
  consider.template operator()<64, 128>();
  consider.template operator()<64, 64>();
  best(gpu, p, a, b, facts);
}

inline void multiply_few(Gpu& gpu, const Matmul::Args<float>& p) {
  gpu.launch({.grid = {ceil_div(p.m * p.n, 256)}, .block = {256}}, matmul_few,
             p.a, p.b, p.c, p.m, p.k, p.n);
}

// Splits A and B into three bfloat16 each and multiplies.
inline void multiply_three_bfloat16(Gpu& gpu, const Matmul::Args<float>& p,
                                    std::uint16_t* a, std::uint16_t* b) {
  split_into_bfloat16(gpu, split_operands(p, a, b));
  multiply_split<ThreeBfloat16>(gpu, p, a, b, nullptr);
}

}  // namespace
