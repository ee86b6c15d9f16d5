// gemv of cuBLAS as the report calls it. cuBLAS thinks in columns: for it the
// transposed row-major matrix, cols x rows, is a column-major matrix of rows x
// cols, which it takes as it is.
#include "gpu/cublas.hpp"

#include "workloads/dmv.hpp"

using namespace parlab;

const Register<Dmv, float, double> variant(
    {
        .rung = 100,
        .id = 3,
        .idea = "gemv of cuBLAS on the transposed matrix",
        .inputs = {"a_transposed", "x"},
        .label = "CUBLAS",
    },
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables&) {
      Cublas::on(gpu).gemv(CUBLAS_OP_N, p.rows, p.cols, p.a_transposed, p.x,
                           p.y);
    });
