// The wide kernel with the machine in mind. Two things are new:
//
// Teams. A team of warps shares a few rows, and its shape follows the matrix:
// every multiprocessor gets work also when there are few rows, and each thread
// has as many 16-byte loads under way as memory needs to be kept busy.
//
// A cache that is not flooded. A matrix larger than the L2 cache pushes itself
// out of it, and the next product finds nothing. Here most rows are read with
// the hint that they will not be needed again; the rest, as many as fit, stay,
// and a product that is repeated reads them from the cache.
//
// Rows are cut as in wide: a team's rows lie one word's count of elements
// apart, so that all of them start at the same place inside a 16-byte word.
#include "streamed.cuh"

const Register<Dmv, float, double> variant(
    {
        .rung = 7,
        .id = 7,
        .idea = "teams of warps shaped to the matrix; a part of it that fits "
                "stays in the L2 cache",
    },
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables&) {
      choose_shape(gpu, p);
    });
