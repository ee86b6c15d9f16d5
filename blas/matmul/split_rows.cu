// The library's own product on each GPU of a team: some of the rows of A and C,
// all of B, as in cuda/matmul/split_rows.cu. cuBLAS reads the same numbers by
// columns, as the transposed matrices: C^T = B^T A^T.
#include "gpu/cublas.hpp"
#include "gpu/gpus.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

const Register<Matmul, float, double, float16, bfloat16> variant(
    {
        .rung = 2,
        .idea = "several GPUs: cuBLAS on rows of A and C, a copy of B on all, "
                "nothing travels",
        .tunables = {gpus()},
        .units = {{Dtype::f64, "tensor double"},
                  {Dtype::f16, "tensor half"},
                  {Dtype::bf16, "tensor bfloat16"}},
        .split = {"m"},
    },
    []<typename T>(Gpus& team, const Parts<Matmul::Args<T>>& parts,
                   const Tunables&) {
      team.each([&](Gpu& gpu, int i) {
        const auto& p = parts[i];
        Cublas::on(gpu).gemm(p.n, p.m, p.k, p.b, p.a, p.c);
      });
    });
