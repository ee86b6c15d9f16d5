// Each GPU of a team has a strip of the image. The points of its first and last
// row have neighbours in the strips above and below, so one row of each
// travels: the halo. The inside of the strip is computed during these
// transfers, the edges after them. An edge is an eighth of the strip although
// one row would do: one row is not enough work for all multiprocessors.
#include <algorithm>
#include <vector>

#include "gpu/gpus.hpp"
#include "streamed.cuh"

namespace {

// A range of rows treated as an image: all of b but its border is computed.
struct Band {
  std::int64_t first, rows;
};
struct Bands {
  std::vector<Band> inside, edges;
};

Bands bands_of(std::int64_t rows, bool above, bool below) {
  const std::int64_t top = above ? -1 : 0, bottom = below ? rows + 1 : rows;
  if (rows < 4) return {{}, {{top, bottom - top}}};
  const auto edge = std::max<std::int64_t>(rows / 8, 1);

  // The inside: rows `first` to `last` - 1. It reads one more row of a on each
  // side.
  const std::int64_t first = above ? edge : 1,
                     last = below ? rows - edge : rows - 1;
  Bands bands{{{first - 1, last - first + 2}}, {}};
  if (above) bands.edges.push_back({-1, edge + 2});
  if (below) bands.edges.push_back({last - 1, edge + 2});
  return bands;
}

template <typename T>
void compute(Gpu& gpu, const Conv2d::Args<T>& p, const Tunables& tunables,
             const std::vector<Band>& bands) {
  for (const auto& [first, rows] : bands) {
    const auto at = first * p.cols;
    launch_streamed(gpu, Conv2d::Args<T>{p.a + at, p.b + at, rows, p.cols},
                    tunables);
  }
}

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
        .idea = "several GPUs: a strip of the image each; halos travel while "
                "the inside is computed",
        .tunables = with_gpus(tunables_of_streamed()),
        .split = {"rows"},
        .pays_from = 160 << 20,  // as measured on two H200s
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
      const auto bands = [&](int i) {
        return bands_of(parts[i].rows, i > 0, i + 1 < team.count());
      };
      team.beside([&] { exchange_halos(team, parts); },
                  [&] {
                    team.each([&](Gpu& gpu, int i) {
                      compute(gpu, parts[i], tunables, bands(i).inside);
                    });
                  });
      team.each([&](Gpu& gpu, int i) {
        compute(gpu, parts[i], tunables, bands(i).edges);
      });
    });
