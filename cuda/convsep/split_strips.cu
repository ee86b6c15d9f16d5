// Each GPU of a team has a strip of the image. The column pass of a point
// reaches `radius` rows up and down, so that many rows of the strips above and
// below travel: the halo. Rows farther inside are computed during these
// transfers, the rows at the edges after them. The row pass of the halo is
// computed on both sides of the edge. That is cheaper than sending its result,
// which has as many bytes and could not be sent as early.
#include <algorithm>
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

// The rows of b that are computed during the transfers, and those that follow
// when the halos have come. An edge is a quarter of the strip although
// `radius` rows would do: few rows are not enough work for all
// multiprocessors.
struct Ranges {
  std::vector<RowRange> inside, edges;
};

Ranges ranges_of(std::int64_t rows, std::int64_t radius, bool above,
                 bool below) {
  const auto edge = std::max(radius, rows / 4);
  const auto first = above ? edge : 0, last = below ? rows - edge : rows;
  if (first >= last)
    return {{}, {{0, rows, above ? radius : 0, below ? radius : 0}}};
  Ranges ranges{{{first, last - first, first, rows - last}}, {}};
  if (above)
    ranges.edges.push_back(
        {0, first, radius, rows - first + (below ? radius : 0)});
  if (below)
    ranges.edges.push_back(
        {last, rows - last, last + (above ? radius : 0), radius});
  return ranges;
}

}  // namespace

const Register<Convsep, float, double> variant(
    {
        .rung = 1,
        .idea = "several GPUs: a strip of the image each; halos travel while "
                "the inside is computed",
        .tunables = with_gpus(tunables_of_fused()),
        .split = {"rows"},
        .pays_from = 160 << 20,  // as measured on two H200s
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
      const auto ranges = [&](int i) {
        return ranges_of(parts[i].rows, parts[i].radius, i > 0,
                         i + 1 < team.count());
      };
      const auto inside = [&](Gpu& gpu, int i) {
        launch_ranges(gpu, parts[i], tunables, ranges(i).inside);
      };
      team.beside([&] { exchange_halos(team, parts); },
                  [&] { team.each(inside); });
      team.each([&](Gpu& gpu, int i) {
        if (team.count() > 1)
          launch_ranges(gpu, parts[i], tunables, ranges(i).edges);
      });
    });
