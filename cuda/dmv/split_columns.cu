// Each GPU of a team has some of the columns, and the elements of x that
// meet them. It computes a sum for every row, of its own columns alone;
// the sums of all GPUs are added up between them, and then each has all
// of y. A copy of x is saved, and y has to travel: as many bytes as it
// has, from every GPU. The way for matrices with few rows, of which there
// would not be enough for all GPUs.
#include "gpu/gpus.hpp"
#include "streamed.cuh"

const Register<Dmv, float, double> variant(
    {
        .rung = 2,
        .idea = "several GPUs: columns of the matrix to each, their sums added "
                "up by an all-reduce",
        .tunables = {gpus()},
        .split = {"cols"},
        .pays_from = 96 << 20,  // as measured on two H200s
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
