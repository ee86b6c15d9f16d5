// geam of cuBLAS: C = alpha op(A) + beta op(B), with alpha 1 and beta 0. cuBLAS
// thinks in columns: for it the row-major a is a column-major matrix of cols x
// rows, and the column-major transpose of that is b as required.
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
