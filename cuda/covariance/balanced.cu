// The tiles of `register`; all their steps are shared equally by as many blocks
// as run at once: see balanced.cuh.
#include "balanced.cuh"

using namespace parlab;

const Register<Covariance, float, double> variant(
    {
        .rung = 6,
        .id = 5,
        .idea = "as register, with the work divided equally among as many "
                "blocks as run at once",
    },
    []<typename T>(Gpu& gpu, const Covariance::Args<T>& p, const Tunables&) {
      launch_balanced<CovarianceTile<T>>(gpu, p);
    });
