// cuBLAS has no sum: this is the dot product of x with a vector of ones. It
// reads twice the bytes that a sum has to. The ones are a separate input, made
// before the clock starts.
#include "gpu/cublas.hpp"

#include "workloads/vector_sum.hpp"

using namespace parlab;

const Register<VectorSum, float, double> variant(
    {
        .rung = 101,
        .idea = "dot of cuBLAS with a vector of ones: twice the bytes",
        .inputs = {"x", "ones"},
    },
    []<typename T>(Gpu& gpu, const VectorSum::Args<T>& p, const Tunables&) {
      Cublas::on(gpu).dot(p.n, p.x, p.ones, p.sum);
    });
