// A tile of 32 x 32 elements goes through shared memory. The block reads rows
// of the tile from a and writes rows of the transposed tile to b: both are
// contiguous in memory now. The turn takes place in shared memory, where a warp
// reads a column. All 32 elements of a column are in the same bank, and the
// warp gets them one after another.
#include "tile.cuh"

const Register<Transpose, float, double> variant(
    {
        .rung = 1,
        .idea = "a tile turned in shared memory: reads and writes coalesced",
        .tunables = {{.name = "block_y", .fallback = 8, .min = 1, .max = 32}},
    },
    []<typename T>(Gpu& gpu, const Transpose::Args<T>& p,
                   const Tunables& tunables) {
      launch_tile<tile_size>(gpu, p, tunables["block_y"]);
    });
