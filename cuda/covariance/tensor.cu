// The products on the tensor cores, which do twice as many multiply-adds of
// doubles as the other units of an H200 and need fewer reads of shared memory:
// a warp multiplies 16 x 8 by 8 x 8 elements at a time, and several lanes use
// each value read. A block computes a tile of 128 x 128, a warp 64 x 32 of it.
// Tiles have 64 x 64 or 32 x 32 if large ones would leave much of the device
// idle. Warps of smaller tiles share the observations: each takes a part of
// every stage, and at the end their sums are added in a fixed order. Blocks
// share tiles as in `balanced`. Only in double: the tensor cores would round
// operands in float.
#include "tensor.cuh"

const Register<Covariance, double> variant(
    {
        .rung = 7,
        .idea = "as balanced, with products of doubles on the tensor cores, "
                "tiles of 32 x 32 to 128 x 128",
        .units = {{Dtype::f64, "tensor double"}},
    },
    []<typename T>(Gpu& gpu, const Covariance::Args<T>& p, const Tunables&) {
      plan_tensor(gpu, p).launch(gpu, p);
    });
