// Lanes of a warp that use the same bin are served one after another, and so
// are lanes whose bins share a bank. A block therefore has several copies of
// its bins, and neighbouring lanes use different ones. With 32 copies, side by
// side, each lane has its own bank: no two lanes of a warp ever collide.
#include "counting.cuh"

const Register<Histogram, std::uint8_t, int> variant(
    {
        .rung = 2,
        .idea = "several copies of the bins, a bank for each lane: no "
                "collisions in a warp",
        .tunables = {block_size(1024), copies_of_bins(32)},
    },
    []<typename T>(Gpu& gpu, const Histogram::Args<T>& p,
                   const Tunables& tunables) {
      launch_private(gpu, p, tunables["block"], tunables["copies"],
                     elements_per_thread, histogram_counting<T>);
    });
