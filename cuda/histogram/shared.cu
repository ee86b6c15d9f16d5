// Each block counts in its own bins in shared memory, where an atomic takes
// some cycles and concerns one multiprocessor only. One wave of blocks goes
// through x, so that few blocks have to add their 256 sums in global memory.
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
