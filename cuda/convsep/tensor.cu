// Both passes in double on the tensor cores, which do twice as many
// multiply-adds as the other units of an H200 and round them like any
// other.
#include "band.cuh"

const Register<Convsep, double> variant(
    {
        .rung = 7,
        .idea = "both passes as products with a band matrix, in double on the "
                "tensor cores",
        .tunables = tunables_of_band(),
        .units = {{Dtype::f64, "tensor double"}},
    },
    [](Gpu& gpu, const Convsep::Args<double>& p, const Tunables& tunables) {
      multiply_by_bands(gpu, p, tunables);
    });
