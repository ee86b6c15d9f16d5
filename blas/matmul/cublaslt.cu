// The tensor cores by cuBLASLt, the part of cuBLAS that lets its caller choose:
// the fastest of the kernels that its heuristics propose for the size. Floats
// are rounded to TF32. The vendor's best is this or the gemm of cuBLAS.
#include "gpu/cublaslt.hpp"

#include "workloads/matmul.hpp"

using namespace parlab;

const Register<Matmul, float16, bfloat16, float> variant(
    {.rung = 102,
     .idea =
         "the fastest of the kernels that cuBLASLt proposes, on tensor cores",
     .arithmetic = Arithmetic::tf32,
     .units = {{Dtype::f16, "tensor half"},
               {Dtype::bf16, "tensor bfloat16"},
               {Dtype::f32, "tensor tf32"}}},
    []<typename T>(Gpu& gpu, const Matmul::Args<T>& p, const Tunables&) {
      CublasLt::on(gpu).gemm(gpu, p.n, p.m, p.k, p.b, p.a, p.c);
    });
