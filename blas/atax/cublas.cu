// Two gemv of cuBLAS. cuBLAS reads by columns, so the row-major matrix is for
// it its transpose, cols x rows: the first product asks to transpose it back,
// the second takes it as it is.
#include "gpu/cublas.hpp"

#include "workloads/atax.hpp"

using namespace parlab;

const Register<Atax, float, double> variant(
    {
        .rung = 100,
        .idea = "two gemv of cuBLAS, transposed and plain",
    },
    []<typename T>(Gpu& gpu, const Atax::Args<T>& p, const Tunables&) {
      auto& library = Cublas::on(gpu);
      T* const t = gpu.scratch<T>(p.rows);
      library.gemv(CUBLAS_OP_T, p.cols, p.rows, p.a, p.x, t);
      library.gemv(CUBLAS_OP_N, p.cols, p.rows, p.a, t, p.y);
    });
