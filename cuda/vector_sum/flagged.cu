// last_block waits for a fence, an atomic and a load, one after another, each
// of which goes to the second-level cache and back. This kernel does not. A
// block writes its sum together with a flag as one 8-byte word. A word is seen
// whole or not at all, so no fence has to order the two, and a reader that
// waits for the word has the sum. The block that started last reads them: each
// draws a ticket at its start, while it waits for x anyway. All others run by
// then, so it never waits for a block that has no place to run. It adds the
// sums in the order of the blocks, so that the result is the same every time.
// Up to 2 MiB of x a second kernel without loops takes 32 blocks: launches of
// this size last as long as their longest chain of instructions, and the
// instructions themselves have to be fetched.
#include "flagged.cuh"

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 7,
        .idea = "one launch, no fence: each block's sum carries its own flag",
    },
    []<typename T>(Gpu& gpu, const VectorSum::Args<T>& p, const Tunables&) {
      launch_flagged(gpu, p);
    });
