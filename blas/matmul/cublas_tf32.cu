// gemm of cuBLAS on the tensor cores: both matrices are rounded to TF32, with
// ten bits after the leading one instead of 23, and the products are added in
// float. It is several times faster and less exact: it is judged by the error
// bound of TF32 and does not compete with the float kernels.
#include "gpu/cublas.hpp"

#include "workloads/matmul.hpp"

using namespace parlab;

const Register<Matmul, float> variant(
    {
        .rung = 101,
        .idea = "gemm of cuBLAS on tensor cores, operands rounded to TF32",
        .arithmetic = Arithmetic::tf32,
        .units = {{Dtype::f32, "tensor tf32"}},
    },
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      Cublas::on(gpu).gemm_tf32(p.n, p.m, p.k, p.b, p.a, p.c);
    });
