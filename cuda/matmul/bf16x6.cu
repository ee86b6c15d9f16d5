// Float with float's accuracy on the tensor cores: each element is split into
// three bfloat16 of 8 bits each, whose sum it is. Three of the nine products of
// two such sums are smaller than the last bit of the product and are left out;
// warpgroup products compute the other six. Six products at the rate of
// bfloat16 take less than half the time of one on the ordinary units.
//
// split.cuh says how to add them up without losing the accuracy gained by
// splitting. Sums of fewer than 16 products, which are not worth a tensor core,
// are computed by one thread each.
#include "split.cuh"

using namespace parlab;

const Register<Matmul, float> variant(
    {.rung = 15,
     .idea = "float split into three bfloat16 each, six products on the tensor "
             "cores",
     .arithmetic = Arithmetic::bf16x6,
     .units = {{Dtype::f32, "tensor bfloat16"}},
     .hardware = "warpgroup products, bulk tensor copies and clusters"},
    [](Gpu& gpu, const Matmul::Args<float>& p, const Tunables&) {
      refuse_without_warpgroups();
      if (p.k < few_products) return multiply_few(gpu, p);
      auto* const a = gpu.scratch<std::uint16_t>(3 * p.m * split_pitch(p.k));
      auto* const b = gpu.scratch<std::uint16_t>(3 * p.k * split_pitch(p.n));
      multiply_three_bfloat16(gpu, p, a, b);
    });
