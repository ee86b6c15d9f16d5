// gemv of cuBLAS on the row-major matrix. Read by columns, its memory is the
// transpose, cols x rows, so cuBLAS is asked to transpose it back.
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
