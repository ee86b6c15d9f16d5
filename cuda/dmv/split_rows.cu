// Each GPU of a team has some of the rows and all of x, and computes the
// elements of y for these rows. Nothing travels: y stays where it was computed.
// The team should therefore take one GPU's time divided by their number, as
// long as each has enough rows to keep its memory busy. It falls short by the
// start of a kernel, which every GPU has to make.
#include "gpu/gpus.hpp"
#include "streamed.cuh"

const Register<Dmv, float, double> variant(
    {
        .rung = 1,
        .idea = "several GPUs: rows of the matrix to each, nothing travels",
        .tunables = {gpus()},
        .split = {"rows"},
    },
    []<typename T>(Gpus& team, const Parts<Dmv::Args<T>>& parts,
                   const Tunables&) {
      team.each([&](Gpu& gpu, int i) { choose_shape(gpu, parts[i]); });
    });
