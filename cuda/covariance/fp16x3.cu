// The product of floats on the tensor cores, with float's accuracy. Each
// centred value is split into two halves, and three products of the parts are
// computed, as in matmul's `fp16x3`, which says when that is enough. If it is
// not, the device takes three bfloat16 and six products.
// Left and right factor are one matrix: it is split once, and warpgroup
// products can read their left operand across k too. Of the tiles of 128 x 128,
// in pairs below one another, only those that reach the upper triangle are
// computed. The part below it is stored as its mirror image.
#include <algorithm>

#include "../matmul/halves.cuh"
#include "centred.cuh"

using namespace parlab;

namespace {

// See PlainProduct.
struct SymmetricProduct {
  float* cov;
  std::int64_t n;
  float divisor;
  static constexpr bool a_across = true;
  static constexpr int b_facts = 0;

  // Columns of tiles come in pairs, 2 q and 2 q + 1, with q + 1 pairs of tiles
  // each; the last may be single.
  static constexpr std::int64_t pairs(std::int64_t across) {
    const std::int64_t q = across / 2;
    return q * (q + 1) + across % 2 * (q + 1);
  }

  template <typename Tile, typename Compute>
  __device__ __forceinline__ void each_tile(Compute compute) const {
    static_assert(Tile::rows == Tile::cols);
    const auto count = static_cast<int>(pairs(ceil_div(n, Tile::cols)));
    const int rank = block_in_cluster();
    for (int pair = blockIdx.x / 2; pair < count; pair += gridDim.x / 2) {
      auto q = static_cast<int>(
          (sqrtf(4.0f * static_cast<float>(pair) + 1) - 1) / 2);
      while (q * (q + 1) > pair)
        --q;  // corrects rounding
      while ((q + 1) * (q + 2) <= pair)
        ++q;
      const int in_twos = pair - q * (q + 1);
      const int row = in_twos % (q + 1), col = 2 * q + in_twos / (q + 1);
      compute((2 * row + rank) * Tile::rows, col * Tile::cols);
    }
  }

  __device__ __forceinline__ void store(std::int64_t row, std::int64_t col,
                                        float left, float right) const {
    store_both(row, col, left / divisor);
    store_both(row, col + 1, right / divisor);
  }

  __device__ __forceinline__ void store_both(std::int64_t row, std::int64_t col,
                                             float element) const {
    if (row > col || col >= n) return;
    cov[row * n + col] = element;
    cov[col * n + row] = element;
  }
};

void multiply_centred(Gpu& gpu, const Covariance::Args<float>& p,
                      const std::uint16_t* parts, const SplitFacts* facts) {
  const auto maps = [&]<typename Scheme>() -> MapsOfParts {
    const auto map =
        map_of_parts<Scheme>(parts, p.m, p.n, SplitTile<Scheme>::depth, 64);
    return {map, map};
  };
  using Tile = SplitTile<TwoHalves>;
  const std::int64_t pairs = SymmetricProduct::pairs(ceil_div(p.n, Tile::cols));
  gpu.launch(
      {.grid = {2 * std::min<std::int64_t>(pairs, gpu.multiprocessors() / 2)},
       .block = {Tile::threads + 128},
       .shared_bytes = split_shared_bytes<128, 128>,
       .overlaps = true},
      matmul_split_products<SymmetricProduct, 128, 128>,
      maps.template operator()<TwoHalves>(),
      maps.template operator()<ThreeBfloat16>(), facts,
      SymmetricProduct{p.cov, p.n, p.divisor}, p.m);
}

}  // namespace

const Register<Covariance, float> variant(
    {
        .rung = 8,
        .idea = "floats split into two halves each, three products on the "
                "tensor cores",
        .arithmetic = Arithmetic::fp16x3,
        .units = {{Dtype::f32, "tensor half"}},
        .hardware = "warpgroup products, bulk tensor copies and clusters",
    },
    [](Gpu& gpu, const Covariance::Args<float>& p, const Tunables&) {
      refuse_without_warpgroups();
      const float* const centred = centred_copy(gpu, p, p.m, p.n);
      auto* const parts =
          gpu.scratch<std::uint16_t>(3 * p.m * split_pitch(p.n));
      const SplitMatrices all = {
          {{centred, parts, p.m, p.n, split_pitch(p.n), false}}, 1};
      const SplitFacts* facts = nullptr;
      if (p.m >= least_products_for_halves) {
        facts = split_into_halves(gpu, all, p.m);
      } else {
        split_into_bfloat16(gpu, all);
      }
      multiply_centred(gpu, p, parts, facts);
    });
