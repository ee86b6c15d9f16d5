// Products of doubles on the tensor cores, which do twice as many
// multiply-adds as the other units of an H200. A warp computes 8 rows and 16
// columns of C at a time from 8 or 16 columns of A, and several lanes use
// each value read from shared memory. A block has a tile of C of 128 x 64,
// and two share a multiprocessor. Tiles are smaller, down to 32 x 32, if that
// leaves less of the device idle. Groups of warps share k in half of the small
// tiles: each takes a part of every stage, and at the end their sums are added
// in a fixed order. Separate blocks compute a single row or column of C beyond
// whole tiles, without tensor cores. If rows are not aligned to 16 bytes and
// each element is used often enough, A and B are first copied to scratch memory
// with aligned rows. Only in double: in float the tensor cores would round A
// and B.
#include "tensor.cuh"

const Register<Matmul, double> variant(
    {
        .rung = 8,
        .idea = "products of doubles on the tensor cores, tiles of 32 x 32 to "
                "128 x 64",
        .units = {{Dtype::f64, "tensor double"}},
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      multiply(gpu, p, plan_tensor(gpu, p));
    });
