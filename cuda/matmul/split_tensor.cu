// `split_rows` on the tensor cores: each GPU of a team has some of the rows of
// A and all of B, and computes as many rows of C with the tiles of `tensor`. In
// double one GPU with its tensor cores is faster than two without.
#include "gpu/gpus.hpp"
#include "tensor.cuh"

const Register<Matmul, double> variant(
    {
        .rung = 3,
        .idea = "several GPUs: rows to each as in split_rows, multiplied on "
                "the tensor cores",
        .tunables = {gpus()},
        .units = {{Dtype::f64, "tensor double"}},
        .split = {"m"},
    },
    []<typename T>(Gpus& team, const Parts<Matmul::Args<T>>& parts,
                   const Tunables&) {
      team.each([&](Gpu& gpu, int i) {
        multiply(gpu, parts[i], plan_tensor(gpu, parts[i]));
      });
    });
