// A workload that is only described, for tests of options and formats; it
// cannot run.
#pragma once

namespace parlab {

// Registers "fake" (rows x cols, float and double) with these variants, once:
//   serial/plain, openmp/rows and openmp/second (threads), blas/gemv (CPU),
//   cuda/naive 0, cuda/coalesced 1 (block 1..1024),
//   cuda/warp 2 (block 32..1024 by 32), blas/library 3 (GPU, labelled CUBLAS),
//   cuda/tiled 4 (tile: powers of two, 4..64),
// and "fake_line" (n, with the parameter radius), without any tunable.
void register_fake_workloads();

}  // namespace parlab
