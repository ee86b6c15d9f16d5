// gemv of cuBLAS on the row-major matrix. Read in columns, its memory
// is a matrix of cols x rows, the transposed of what is meant: cuBLAS
// is asked to transpose it back.
#include "gpu/cublas.hpp"

#include "workloads/dmv.hpp"

using namespace parlab;

const Register<Dmv, float, double> variant(
    {
        .rung = 101,
        .id = 8,
        .idea = "gemv of cuBLAS on the row-major matrix",
    },
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables&) {
      Cublas::on(gpu).gemv(CUBLAS_OP_T, p.cols, p.rows, p.a, p.x, p.y);
    });
