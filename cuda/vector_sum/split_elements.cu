// Each GPU of a team sums its elements, in one launch, and an all-reduce adds
// one number per GPU. Hardly anything travels, but a message takes its minimum
// time: some microseconds, in which one GPU could have summed a million
// elements. This is for long vectors.
#include "flagged.cuh"
#include "gpu/gpus.hpp"

const Register<VectorSum, int, float, double> variant(
    {
        .rung = 1,
        .idea =
            "several GPUs: each sums its elements, an all-reduce adds the sums",
        .tunables = {gpus()},
        .split = {"n"},
        .pays_from = 36 << 20,  // as measured on two H100s
        .travels = [](const std::int64_t*, Dtype dtype,
                      int gpus) { return all_reduce_bytes(1, dtype, gpus); },
    },
    []<typename T>(Gpus& team, const Parts<VectorSum::Args<T>>& parts,
                   const Tunables&) {
      team.each([&](Gpu& gpu, int i) { launch_flagged(gpu, parts[i]); });
      const auto sum =
          team.from(parts, [](const auto& part) { return part.sum; });
      team.all_reduce(sum, sum, 1);
    });
