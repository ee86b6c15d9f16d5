// gemm of OpenBLAS: what the processor's own library makes of the same product.
#include "host/openblas.hpp"

#include "host/host.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

const Register<Matmul, float, double> variant(
    {
        .idea = "gemm of OpenBLAS",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Matmul::Args<T>& p, const Tunables& tunables) {
      OpenBlas::instance().gemm(static_cast<int>(tunables["threads"]), p.m, p.k, p.n, p.a, p.b,
                                p.c);
    });
