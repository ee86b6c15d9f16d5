// gemm of cuBLAS in true float or double; half and bfloat16 have sums in float.
// cuBLAS thinks in columns: for it a row-major matrix is the transpose, so it
// is asked for C^T = B^T A^T and writes C.
#include "gpu/cublas.hpp"

#include "workloads/matmul.hpp"

using namespace parlab;

const Register<Matmul, float, double, float16, bfloat16> variant(
    {
        .rung = 100,
        .idea = "gemm of cuBLAS, in the arithmetic of the data type",
        .units = {{Dtype::f64, "tensor double"},
                  {Dtype::f16, "tensor half"},
                  {Dtype::bf16, "tensor bfloat16"}},
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      Cublas::on(gpu).gemm(p.n, p.m, p.k, p.b, p.a, p.c);
    });
