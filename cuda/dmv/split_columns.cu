// Each GPU of a team has some of the columns and the matching elements of x. It
// computes a sum for every row, from its own columns alone. An all-reduce adds
// up the sums of all GPUs and leaves all of y on each. This saves a copy of x,
// but y has to travel: every GPU sends as many bytes as y has. It suits
// matrices with too few rows for all GPUs.
#include "gpu/gpus.hpp"
#include "streamed.cuh"

const Register<Dmv, float, double> variant(
    {
        .rung = 2,
        .idea = "several GPUs: columns of the matrix to each, their sums added "
                "up by an all-reduce",
        .tunables = {gpus()},
        .split = {"cols"},
        .pays_from = 36 << 20,  // as measured on two H100s
        .travels =
            [](const std::int64_t* size, Dtype dtype, int gpus) {
              return all_reduce_bytes(static_cast<double>(size[0]), dtype,
                                      gpus);
            },
    },
    []<typename T>(Gpus& team, const Parts<Dmv::Args<T>>& parts,
                   const Tunables&) {
      team.each([&](Gpu& gpu, int i) { choose_shape(gpu, parts[i]); });
      const auto y = team.from(parts, [](const auto& part) { return part.y; });
      team.all_reduce(y, y, parts[0].rows);
    });
