// Each GPU of a team has some of the rows. It computes the elements of t = A x
// of these rows, needs no others for the second product, and reads its part of
// the matrix once for both. Its result is a partial sum for every element of y,
// and an all-reduce adds these up. The matrix does not travel; every GPU sends
// as many bytes as y has.
#include "fused.cuh"
#include "gpu/gpus.hpp"

const Register<Atax, float, double> variant(
    {
        .rung = 1,
        .idea = "several GPUs: rows of the matrix to each, read once; y added "
                "up by an all-reduce",
        .tunables = {gpus()},
        .split = {"rows"},
        .pays_from = 24 << 20,  // as measured on two H100s
        .travels =
            [](const std::int64_t* size, Dtype dtype, int gpus) {
              return all_reduce_bytes(static_cast<double>(size[1]), dtype,
                                      gpus);
            },
    },
    []<typename T>(Gpus& team, const Parts<Atax::Args<T>>& parts,
                   const Tunables&) {
      team.each(
          [&](Gpu& gpu, int i) { launch_fused(gpu, parts[i], Choice{}); });
      const auto y = team.from(parts, [](const auto& part) { return part.y; });
      team.all_reduce(y, y, parts[0].cols);
    });
