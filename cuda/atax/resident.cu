// Keeps the whole matrix on the chip at once, if it is small enough: each
// multiprocessor holds an equal share of the rows in its shared memory.
//   All copies of a share start together, and there is one wait for them:
//     reading the matrix takes one latency plus the time of the L2 cache.
//   t = A x of the share's rows: a warp computes a row or a part of one.
//   t times the same share is this block's part of y, a thread per column.
//
// 0 threads per block: as many as suit the share. A second kernel adds up
// the blocks' parts, in a fixed order. It begins while the first one runs
// and waits for it on the device, so only one of the two launches costs
// time.
#include "resident.cuh"

const Register<Atax, float, double> variant(
    {
        .rung = 4,
        .idea = "small matrices: all of A in shared memory at once; the second "
                "kernel already waits",
        .tunables = {{.name = "block",
                      .fallback = 0,
                      .min = 0,
                      .max = 1024,
                      .multiple_of = 128}},
    },
    []<typename T>(Gpu& gpu, const Atax::Args<T>& p, const Tunables& tunables) {
      const auto asked = tunables["block"],
                 block = asked != 0 ? asked : resident_block(gpu, p);
      if (!is_resident(gpu, p, block)) {
        cannot_run(
            "the matrix is larger than the shared memory of all "
            "multiprocessors");
      }
      run_resident(gpu, p, block);
    });
