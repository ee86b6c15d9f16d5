// Divides the columns of the data among the GPUs, with the tiles of `register`.
#include "split_panels.cuh"

const Register<Covariance, float, double> variant(
    {
        .rung = 1,
        .idea = "several GPUs: some columns each; centred panels travel during "
                "the product",
        .tunables = {gpus()},
        .split = {"n"},
        .pays_from = 96 << 20,  // as measured on two H200s
        .travels = panels_that_travel,
    },
    []<typename T>(Gpus& team, const Parts<Covariance::Args<T>>& parts,
                   const Tunables&) {
      CovariancePanels<T, CovarianceTile<T>>(team, parts).compute();
    });
