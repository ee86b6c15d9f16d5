// Each GPU of a team has some of the rows of A and all of B, and computes as
// many rows of C. Nothing travels; the price is the memory for a copy of B on
// each GPU. Products of matrices have enough work for many GPUs: as long as
// each fills its multiprocessors with whole tiles, the team takes one GPU's
// time divided by their number.
#include "gpu/gpus.hpp"
#include "warp_tiles.cuh"

const Register<Matmul, float, double, int> variant(
    {
        .rung = 1,
        .idea = "several GPUs: rows of A and C to each, a copy of B on all, "
                "nothing travels",
        .tunables = {gpus()},
        .split = {"m"},
    },
    []<typename T>(Gpus& team, const Parts<Matmul::Args<T>>& parts,
                   const Tunables&) {
      team.each([&](Gpu& gpu, int i) { choose_tiles(gpu, parts[i]); });
    });
