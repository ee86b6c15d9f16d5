// The last variant: one tile per level (block, warp, lane) keeps the multiply
// units busy. A block computes a tile of C, each of its warps a smaller one,
// each lane of a warp up to 8 x 8 elements. Per step along k a lane reads 8 + 8
// elements from shared memory and makes 64 products of them, so that nearly all
// instructions are products.
//
// - The lanes of a warp form a grid over its tile in which a half warp reads
//   few and consecutive words, and reads them in one go.
// - The operands of the next step along k are read into a second set of
//   registers while this step is multiplied, also across the border of two
//   stages of shared memory.
// - The first step along k takes the remainder of k divided by the depth of a
//   stage; the copies of all later ones need no test. If rows are aligned or
//   tiles large it is filled up with zeros; otherwise only what there is of it
//   is multiplied.
// - The vectors that are stored are copies of the sums, so that the sums may
//   lie where registers can be read at once.
// - A tile that would stick out of C is moved inwards. Elements that it then
//   computes a second time are not stored. Copies along m and n thus need no
//   test either.
// - A single row or column beyond whole tiles, as of 2049, is no tile: blocks
//   beside it compute it too, each thread another element or two.
// - Blocks that run at the same time form a compact part of C and find each
//   other's A and B in L2.
// - Small problems: with `slices` > 1 several groups of warps share a tile,
//   each taking its part of every stage; at the end each adds a part of the
//   sums of all, in a fixed order, and stores it.
// - Few tiles and a long k: several blocks share a tile, each with a part of k
//   (parts.cuh).
//
// If rows of B are not aligned to 16 bytes, medium tiles read a copy of B whose
// rows are. Others copy its elements one at a time, which the multiplications
// hide. Copies need tests only if C is smaller than a tile.
#include "warp_tiles.cuh"

const Register<Matmul, float, double, int> variant(
    {
        .rung = 7,
        .idea = "tiles for blocks, warps and lanes; registers filled a step "
                "ahead; no test inside",
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      choose_tiles(gpu, p);
    });
