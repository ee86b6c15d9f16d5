// Each GPU of a team has some of the rows, all of x, and computes as many
// elements of y as it has rows. Nothing travels: y stays where it was
// computed. So the team should take one GPU's time divided by their number,
// while each has rows enough to keep its memory busy; what is missing is
// the start of a kernel, which no GPU does for another.
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
