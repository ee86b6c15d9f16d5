// Lanes of a warp that meet at one bin are served one after another, and so are
// lanes whose bins share a bank. A block has several copies of its bins, and
// neighbouring lanes count in different ones. With 32 copies, which lie side by
// side, each lane has a bank of its own: no two of a warp ever meet.
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
