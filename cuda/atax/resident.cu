// The whole matrix is on the chip at once, where it is small enough: each
// multiprocessor has an equal share of the rows in its shared memory.
//   all copies of a share start together, and there is one wait for them:
//     nothing but the latency of one access and the rate of the L2 cache is
//     left of reading the matrix;
//   t = A x of the rows of the share, a warp for each row or for a part of it;
//   t times the same share is what this block has of y, a thread per column.
//
// 0 threads for a block: as many as suit the share. A second kernel adds up
// what the blocks have, in a fixed order. It begins while the first one runs,
// and waits for it on the device: only one of the two launches costs time.
#include "resident.cuh"

const Register<Atax, float, double> variant(
    {
        .rung = 4,
        .idea = "small matrices: all of A in shared memory at once, the second "
                "kernel in wait",
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
