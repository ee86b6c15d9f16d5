// The matrix comes from device memory once. A block keeps a strip of the
// matrix, a few rows, on the chip for as long as both products need it:
//   asynchronous copies fill a ring of strips in shared memory, all but one of
//     them under way;
//   t = A x of a strip is summed over the block as it arrives, with one
//     barrier;
//   t times the same strip, still in shared memory, is added to y, and as soon
//     as a piece of it has been used, the copies of what replaces it start.
//
// A thread copies and reads the same columns of every strip (strips.cuh), so
// copies need no barrier, and its elements of x and its sums of y stay in
// registers from the first strip to the last. Where rows do not start at
// multiples of 16 bytes, the strips of a block take every second or fourth row:
// those start at the same place inside a 16-byte word, and are copied in whole
// words all the same. A second kernel adds the y of all blocks, in a fixed
// order. Matrices that fit the chip as a whole are left to the kernel of
// `resident`, short rows to warps that hold them in registers.
//
// A row that is too long for one block has a team: its blocks take some of
// the columns each, and tell each other their parts of t through memory. A
// part is on its way while the block works on the next strip; it is one word,
// written at once, and a word that is not zero has arrived.
#include "fused.cuh"

const Register<Atax, float, double> variant(
    {
        .rung = 5,
        .idea = "A read once: strips in shared memory serve both products, "
                "copies always under way",
        .tunables = tunables_of_strips(),
    },
    []<typename T>(Gpu& gpu, const Atax::Args<T>& p, const Tunables& tunables) {
      launch_fused(gpu, p, choice_from(tunables));
    });
