// gemm of the host's BLAS: the library that is tuned for this processor.
#include "host/blas.hpp"

#include "host/host.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

const Register<Matmul, float, double> variant(
    {
        .idea = "gemm of the host's BLAS",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Matmul::Args<T>& p, const Tunables& tunables) {
      Blas::instance().gemm(static_cast<int>(tunables["threads"]), p.m, p.k,
                            p.n, p.a, p.b, p.c);
    });
