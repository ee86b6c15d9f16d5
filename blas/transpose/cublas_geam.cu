// geam of cuBLAS: C = alpha op(A) + beta op(B), with alpha 1 and beta 0. cuBLAS
// thinks in columns: a, row-major, is to it a column-major matrix of cols x
// rows, and its transpose, column-major, is b as it has to be.
#include "gpu/cublas.hpp"
#include "workloads/transpose.hpp"

using namespace parlab;

const Register<Transpose, float, double> variant(
    {
        .rung = 100,
        .idea = "geam of cuBLAS",
    },
    [](Gpu& gpu, const auto& p, const Tunables&) {
      Cublas::on(gpu).transpose(p.cols, p.rows, p.a, p.b);
    });
