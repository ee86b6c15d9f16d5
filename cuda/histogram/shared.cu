// Each block counts in bins of its own, in shared memory: an atomic takes some
// cycles there and concerns one multiprocessor. One wave of blocks walks over
// x, so that few blocks have to add their 256 sums to those in global memory.
#include "counting.cuh"

const Register<Histogram, std::uint8_t, int> variant(
    {
        .rung = 1,
        .idea = "each block counts in shared memory, and adds its sums at the "
                "end",
        .tunables = {block_size(512)},
    },
    []<typename T>(Gpu& gpu, const Histogram::Args<T>& p,
                   const Tunables& tunables) {
      launch_private(gpu, p, tunables["block"], 1, elements_per_thread,
                     histogram_counting<T>);
    });
