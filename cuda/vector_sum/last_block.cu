// `wide` in one launch, because its second launch costs more than the work in
// it. A block that has written its sum counts itself. The one that finds that
// all others have done so adds the sums. The fence makes a block's sum visible
// before its count. The sums are added in the order of the blocks, whichever
// block does it: the result is the same every time.
#include "last_block.cuh"

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 6,
        .idea = "wide in one launch: the block that finishes last adds the "
                "sums of all",
        .tunables = {block_size(512, 32)},
    },
    []<typename T>(Gpu& gpu, const VectorSum::Args<T>& p,
                   const Tunables& tunables) {
      launch_last_block(gpu, p, tunables["block"]);
    });
