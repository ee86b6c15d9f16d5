// Both passes in float on the tensor cores, which multiply numbers of 11 bits.
// A pixel and a weight are each split into two such numbers, and three products
// of these are computed.
//
// A product loses some 2^-21 of its value, more than a float does: the error of
// a sum of one product can be eight times what floats may have. Sums of many
// products of random signs do not show it: from radius 8 on their largest error
// is at most twice that of `fused`.
#include "band.cuh"

const Register<Convsep, float> variant(
    {
        .rung = 8,
        .idea = "as tensor, with floats split into two numbers of 11 bits "
                "each: three products",
        .tunables = tunables_of_band(),
        .arithmetic = Arithmetic::tf32x3,
        .units = {{Dtype::f32, "tensor tf32"}},
    },
    [](Gpu& gpu, const Convsep::Args<float>& p, const Tunables& tunables) {
      multiply_by_bands(gpu, p, tunables);
    });
