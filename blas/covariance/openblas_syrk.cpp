// The centred copy, and syrk of the host's BLAS: half the work of gemm. The
// pass that copies the triangle into the other one divides on the way.
#include "host/blas.hpp"

#include "../../openmp/covariance/parts.hpp"

using namespace parlab;

const Register<Covariance, float, double> variant(
    {
        .rung = 2,
        .idea = "syrk of the host's BLAS on the centred copy: one triangle, "
                "then mirrored",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Covariance::Args<T>& p,
                   const Tunables& tunables) {
      const int threads = static_cast<int>(tunables["threads"]);
      Blas::instance().syrk(threads, p.m, p.n, centred_copy(host, p, threads),
                            p.cov);
      divide_and_mirror(p, threads);
    });
