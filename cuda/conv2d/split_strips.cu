// Each GPU of a team has a strip of the image. The points of its first and last
// row have neighbours in the strips above and below, so one row of each
// travels: the halo. Then one launch computes the strip. The message takes some
// microseconds. Computing the inside of the strip beside it would hide them,
// but the edges would need launches of their own, which take longer.
#include <vector>

#include "gpu/gpus.hpp"
#include "streamed.cuh"

namespace {

// Sends each strip's last row to the one below and its first to the one above.
template <typename T>
void exchange_halos(Gpus& team, const Parts<Conv2d::Args<T>>& parts) {
  std::vector<Gpus::Move> moves;
  for (int i = 0; i + 1 < team.count(); ++i) {
    const auto &upper = parts[i], &lower = parts[i + 1];
    const auto cols = upper.cols, end = upper.rows * cols;
    moves.push_back(
        team.move(i, team.halo(upper.a + end), i + 1, lower.a, cols));
    moves.push_back(team.move(i + 1, team.halo(lower.a - cols), i,
                              upper.a + (end - cols), cols));
  }

  team.exchange(moves);
}

}  // namespace

const Register<Conv2d, float, double> variant(
    {
        .rung = 1,
        .idea =
            "several GPUs: a strip of the image each; one row travels across "
            "each edge",
        .tunables = with_gpus(tunables_of_streamed()),
        .split = {"rows"},
        .pays_from = 40 << 20,  // as measured on two H100s
        .travels =
            [](const std::int64_t* size, Dtype dtype, int gpus) {
              // for a GPU in the middle
              const double rows = gpus < 2 ? 0 : gpus == 2 ? 1 : 2;
              return rows * static_cast<double>(size[1]) *
                     static_cast<double>(bytes_of(dtype));
            },
    },
    []<typename T>(Gpus& team, const Parts<Conv2d::Args<T>>& parts,
                   const Tunables& tunables) {
      exchange_halos(team, parts);
      // A strip with its halos is an image: all of b but its border is
      // computed.
      team.each([&](Gpu& gpu, int i) {
        const auto& p = parts[i];
        const bool above = i > 0, below = i + 1 < team.count();
        const auto first = above ? -p.cols : 0;
        launch_streamed(gpu,
                        Conv2d::Args<T>{p.a + first, p.b + first,
                                        p.rows + above + below, p.cols},
                        tunables);
      });
    });
