// Each GPU of a team has a strip of the image. The column pass of a point
// reaches `radius` rows up and down, so that many rows of the strips above and
// below travel: the halo. Then one launch computes the strip. The row pass of
// the halo is computed on both sides of the edge. That is cheaper than sending
// its result, which has as many bytes and could not be sent as early.
#include <vector>

#include "fused.cuh"
#include "gpu/gpus.hpp"

namespace {

template <typename T>
void exchange_halos(Gpus& team, const Parts<Convsep::Args<T>>& parts) {
  std::vector<Gpus::Move> moves;
  for (int i = 0; i + 1 < team.count(); ++i) {
    const auto &upper = parts[i], &lower = parts[i + 1];
    const auto halo = upper.radius * upper.cols, end = upper.rows * upper.cols;
    moves.push_back(
        team.move(i, team.halo(upper.a + end), i + 1, lower.a, halo));
    moves.push_back(team.move(i + 1, team.halo(lower.a - halo), i,
                              upper.a + (end - halo), halo));
  }

  team.exchange(moves);
}

}  // namespace

const Register<Convsep, float, double> variant(
    {
        .rung = 1,
        .idea = "several GPUs: a strip of the image each; `radius` rows travel "
                "across each edge",
        .tunables = with_gpus(tunables_of_fused()),
        .split = {"rows"},
        .pays_from = 40 << 20,  // as measured on two H100s
        .travels =
            [](const std::int64_t* size, Dtype dtype, int gpus) {
              // for a GPU in the middle
              const double halos = gpus < 2 ? 0 : gpus == 2 ? 1 : 2;
              return halos * static_cast<double>(size[2] * size[1]) *
                     static_cast<double>(bytes_of(dtype));
            },
    },
    []<typename T>(Gpus& team, const Parts<Convsep::Args<T>>& parts,
                   const Tunables& tunables) {
      exchange_halos(team, parts);
      team.each([&](Gpu& gpu, int i) {
        const auto& p = parts[i];
        const auto above = i > 0 ? p.radius : 0,
                   below = i + 1 < team.count() ? p.radius : 0;
        launch_ranges(gpu, p, tunables, {{0, p.rows, above, below}});
      });
    });
