// The wide kernel, arranged for the memory's sake.
//
// Reads ahead. A lane always has its words of the next `batch` rows on their
// way: when one arrives, the read of the row `batch` below it starts before
// anything is computed. Requests reach the memory without a pause, so few warps
// are enough.
//
// Sums in place of rows. When a row arrives, it is added to the three rows of b
// that it touches, with its neighbours taken from the adjacent lanes, and is
// then dropped. Only two rows of unfinished sums are kept, which leaves the
// registers to the words on their way.
//
// Short strips. A strip begins with two rows that the strip above reads too,
// out of the L2 cache. Even so the shortest are the fastest: blocks start in
// the order of the rows, and with short strips the device reads and writes
// nearby memory at any time. On an H200, in double at 8192, strips of 8 rows
// take 274 us, of 24 rows 297, of 256 rows 310.
//
// The cache is not flooded. b is written, and most of a is read, with the hint
// that it will not be needed again. The first rows of a, as many as fit `kept`
// percent of the L2 cache, stay there for the next execution.
#include "streamed.cuh"

const Register<Conv2d, float, double> variant(
    {
        .rung = 5,
        .idea =
            "reads rows ahead, keeps sums instead of rows, streaming stores",
        .tunables = tunables_of_streamed(),
    },
    []<typename T>(Gpu& gpu, const Conv2d::Args<T>& p,
                   const Tunables& tunables) {
      launch_streamed(gpu, p, tunables);
    });
