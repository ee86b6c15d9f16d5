// gemm of cuBLAS in true float or double; of half and bfloat16 with sums
// in float. cuBLAS thinks in columns: what is row-major here is for it the
// transposed matrix, so it is asked for C^T = B^T A^T and writes C.
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
