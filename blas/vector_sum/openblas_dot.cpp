// BLAS has no sum: the dot product of x with a vector of ones. It reads twice the bytes a sum has
// to; the ones are an input of their own, made before the clock starts.
#include "host/openblas.hpp"

#include "contracts/vector_sum.hpp"
#include "host/host.hpp"

using namespace parlab;

const Register<VectorSum, float, double> variant(
    {.rung = 1,
     .idea = "dot of OpenBLAS with a vector of ones: twice the bytes",
     .tunables = {threads()},
     .layouts = {"ones"}},
    []<typename T>(Host& host, const VectorSum::Args<T>& p, const Tunables& tunables) {
      const auto asked = tunables["threads"];
      const int threads = asked > 0 ? static_cast<int>(asked) : host.cores();
      *p.sum = OpenBlas::instance().dot(threads, p.n, p.x, p.ones);
    });
