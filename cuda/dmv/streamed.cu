// The wide kernel, fitted to the machine. Two things are new.
//
// Teams. A team of warps shares a few rows, and its shape follows the matrix:
// every multiprocessor gets work even when there are few rows, and each thread
// has enough 16-byte loads under way to keep the memory busy.
//
// The cache is not flooded. A matrix larger than the L2 cache pushes itself out
// of it, and the next product finds nothing there. Here most rows are read with
// the hint that they will not be needed again. The rest, as many as fit, stay,
// and a repeated product reads them from the cache.
//
// Rows are cut as in `wide`: a team's rows lie as many rows apart as a word has
// elements, so that all start at the same place inside a 16-byte word.
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
