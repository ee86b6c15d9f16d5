// The products on the tensor cores, which make twice as many multiply-adds
// of doubles as the other units of an H200, and ask for less shared memory:
// a warp multiplies 16 x 8 by 8 x 8 elements at a time, and each value read
// is used by several lanes. A block computes a tile of 128 x 128, a warp
// 64 x 32 of it; where those tiles would leave much of the device without
// work, they have 64 x 64 or 32 x 32. Warps of the smaller ones share the
// observations: each takes a part of every stage, and in the end their sums are
// added in a fixed order. Blocks share tiles as in `balanced`. Only in double:
// in float the tensor cores would round the operands.
#include "tensor.cuh"

const Register<Covariance, double> variant(
    {
        .rung = 7,
        .idea = "the same with the products of doubles on the tensor cores, "
                "tiles of 32 x 32 to 128 x 128",
        .units = {{Dtype::f64, "tensor double"}},
    },
    []<typename T>(Gpu& gpu, const Covariance::Args<T>& p, const Tunables&) {
      plan_tensor(gpu, p).launch(gpu, p);
    });
