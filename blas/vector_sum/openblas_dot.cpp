// BLAS has no sum: this is the dot product of x with a vector of ones. It reads
// twice the bytes that a sum has to. The ones are a separate input, made before
// the clock starts.
#include "host/blas.hpp"

#include "host/host.hpp"
#include "workloads/vector_sum.hpp"

using namespace parlab;

const Register<VectorSum, float, double> variant(
    {
        .rung = 1,
        .idea = "dot of the host's BLAS with a vector of ones: twice the bytes",
        .tunables = {threads()},
        .inputs = {"x", "ones"},
    },
    []<typename T>(Host&, const VectorSum::Args<T>& p,
                   const Tunables& tunables) {
      const auto threads = static_cast<int>(tunables["threads"]);
      *p.sum = Blas::instance().dot(threads, p.n, p.x, p.ones);
    });
