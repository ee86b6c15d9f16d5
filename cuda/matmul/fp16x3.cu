// Float with float's accuracy on the tensor cores, with half of the products:
// each element is split into two halves, which hold 22 of its 24 bits and the
// sign of the rest, and three products of them are computed. The loss, 2^-22 of
// a product, is far less than that of a float loop's sums, once a sum has many
// products.
//
// Half has few exponents, though: both matrices are scaled by a power of two,
// and small elements lose more. That does no harm as long as every sum has
// large products beside them, which is tested. If three of four elements in
// each row of A and each column of B are at least 2^4 when scaled, half of the
// products of each sum are at least 2^8, and a small element loses 2^-36, times
// less than 2^15. If not, or if sums are short, the device takes three bfloat16
// instead, as `bf16x6` does.
//
// There are two launches. The first finds the scale by a sample, splits, and
// decides, with barriers of the grid between its steps. Each launch more would
// cost two microseconds. A small product takes less time than the barriers, and
// three bfloat16 at once.
#include "halves.cuh"

using namespace parlab;

namespace {

// With fewer products, the six of three bfloat16 take less time.
constexpr std::int64_t products_worth_halves = 1000 * 1000 * 1000;

}  // namespace

const Register<Matmul, float> variant(
    {.rung = 16,
     .idea = "float split into two halves each, three products, where that "
             "keeps float's accuracy",
     .arithmetic = Arithmetic::fp16x3,
     .units = {{Dtype::f32, "tensor half"}},
     .hardware = "warpgroup products, bulk tensor copies and clusters"},
    [](Gpu& gpu, const Matmul::Args<float>& p, const Tunables&) {
      refuse_without_warpgroups();
      if (p.k < few_products) return multiply_few(gpu, p);
      auto* const a = gpu.scratch<std::uint16_t>(3 * p.m * split_pitch(p.k));
      auto* const b = gpu.scratch<std::uint16_t>(3 * p.k * split_pitch(p.n));
      if (p.k < least_products_for_halves ||
          p.m * p.k * p.n < products_worth_halves)
        return multiply_three_bfloat16(gpu, p, a, b);
      const auto* facts = split_into_halves(gpu, split_operands(p, a, b), p.k);
      multiply_split<TwoHalves>(gpu, p, a, b, facts);
    });
