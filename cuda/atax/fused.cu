// The matrix comes from device memory once. A block keeps a strip of the
// matrix, a few rows, on the chip for as long as both products need it:
//
//   asynchronous copies fill a ring of strips in shared memory, all but one
//     of them under way;
//   t = A x of a strip is summed over the block as it arrives, with one
//     barrier;
//   t times the same strip, still in shared memory, is added to y. As soon
//     as a piece of the strip has been used, the copies that replace it
//     start.
// A thread copies and reads the same columns of every strip (strips.cuh), so
// copies need no barrier, and x and the sums of y stay in registers
// throughout. If rows do not start at multiples of 16 bytes, the strips of a
// block take every second or fourth row: those start at the same place in a
// 16-byte word and can be copied in whole words. A second kernel adds the y
// of all blocks, in order. A matrix that fits the chip goes to the kernel of
// `resident`, short rows go to warps that hold them in registers.
//
// A row too long for one block is shared by a team of blocks. Each takes
// some of the columns, and they exchange their parts of t through memory. A
// part is on its way while the block works on the next strip. It is a single
// word, written at once; a word that is not zero has arrived.
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
