// The centred copy, and gemm of the host's BLAS for its product with itself:
// both triangles are computed. The division is a separate pass: gemm's factor
// could only multiply by the reciprocal, which rounds twice.
#include "host/blas.hpp"

#include "../../openmp/covariance/parts.hpp"

using namespace parlab;

const Register<Covariance, float, double> variant(
    {
        .rung = 1,
        .idea = "gemm of the host's BLAS on the centred copy: both triangles",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Covariance::Args<T>& p,
                   const Tunables& tunables) {
      const int threads = static_cast<int>(tunables["threads"]);
      Blas::instance().gemm_gram(threads, p.m, p.n,
                                 centred_copy(host, p, threads), p.cov);
#pragma omp parallel for simd schedule(static) num_threads(threads)
      for (std::int64_t at = 0; at < p.n * p.n; ++at)
        p.cov[at] /= p.divisor;
    });
