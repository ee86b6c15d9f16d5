// Both passes in one kernel: the row pass's results never leave the registers.
//
// A warp marches down a strip of columns, and a lane owns a few adjacent
// columns. In each step the lane
//   reads its pixels of the next row and those within `radius` of them from
//     shared memory, and sums the row pass of its columns;
//   adds these to the 2 radius + 1 rows of b that they touch, all in registers.
//     The sum of one row of b takes the place of the sum of the row above as it
//     grows, so the march costs no instruction: sums[i] = sums[i + 1] + weight
//     * value;
//   writes the row of b that is complete.
// These are 2 (2 radius + 1) multiply-adds per pixel, and little else: the
// loops over the weights are unrolled, and a weight is an operand in constant
// memory.
//
// Asynchronous copies bring the rows of the strip into a ring in shared memory,
// seven rows ahead. Each warp has its own ring and waits for no other. Few
// warps are fastest: they read and write nearby memory at any time, and with
// seven rows under way each keeps it busy. A strip begins with 2 radius rows
// that yield no row of b. With strip = 0 the strips of a large radius are as
// tall as the work for the whole device allows; those of a small one are short,
// so that rows are read in order, and a strip's first rows out of the L2 cache.
//
// There is a kernel for each radius that is a power of two; other filters are
// filled up with zero weights. Sums that need too many registers are computed
// in two pieces, the second added to the first.
#include "fused.cuh"

const Register<Convsep, float, double> variant(
    {
        .rung = 6,
        .idea = "both passes in one kernel: a warp marches down, unfinished "
                "sums of b in registers",
        .tunables = tunables_of_fused(),
    },
    []<typename T>(Gpu& gpu, const Convsep::Args<T>& p,
                   const Tunables& tunables) {
      launch_ranges(gpu, p, tunables, {{0, p.rows, 0, 0}});
    });
