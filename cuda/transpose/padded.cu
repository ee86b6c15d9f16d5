// A row of the tile is one element longer than necessary. The elements of a
// column are then 33 places apart, each in a bank of its own, and a warp reads
// them all at once.
#include "tile.cuh"

const Register<Transpose, float, double> variant(
    {
        .rung = 2,
        .idea = "rows of the tile one element longer: no bank conflicts",
        .tunables = {{.name = "block_y", .fallback = 8, .min = 1, .max = 32}},
    },
    []<typename T>(Gpu& gpu, const Transpose::Args<T>& p,
                   const Tunables& tunables) {
      launch_tile<tile_size + 1>(gpu, p, tunables["block_y"]);
    });
