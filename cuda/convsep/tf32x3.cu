// Both passes in float on the tensor cores, which multiply numbers of 11 bits
// there: a pixel and a weight are split into two of them, and three products
// of these are computed.
//
// What is lost of a product, some 2^-21 of it, is more than a float loses: a
// sum of one product errs up to eight times as much as floats may. Sums of many
// products of random signs do not show it: from radius 8 on their largest
// error is at most twice that of `fused`.
#include "band.cuh"

const Register<Convsep, float> variant(
    {
        .rung = 8,
        .idea = "the same for floats, split into two numbers of 11 bits each, "
                "three products",
        .tunables = tunables_of_band(),
        .arithmetic = Arithmetic::tf32x3,
        .units = {{Dtype::f32, "tensor tf32"}},
    },
    [](Gpu& gpu, const Convsep::Args<float>& p, const Tunables& tunables) {
      multiply_by_bands(gpu, p, tunables);
    });
