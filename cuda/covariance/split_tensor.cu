// `split_panels` on the tensor cores, with the tiles of `tensor`. In double one
// H200 with its tensor cores is faster than two without.
#include <limits>

#include "split_panels.cuh"
#include "tensor.cuh"

namespace {

// Both pieces lie in one allocation: see CovariancePanels.
template <typename Tile, typename S = TensorTile<Tile>>
__device__ void multiply_tile(TensorTile<Tile> tile, const double* left_from,
                              const double* right_from, std::int64_t stride,
                              int steps, double* shared,
                              double (&sum)[S::rows][S::cols]) {
  multiply_tile(tile, left_from, 0, static_cast<int>(right_from - left_from),
                stride, steps, shared, sum);
}

// As in TensorPlan, for a launch's tiles alone.
template <typename S>
double estimate_tiles(Gpu& gpu, std::int64_t tiles, std::int64_t m) {
  const double most =
                   static_cast<double>(ceil_div(tiles, gpu.multiprocessors())),
               deep = static_cast<double>(ceil_div(m, S::deep) * S::deep);
  return (most * deep * S::share + S::begin) * S::size * S::size;
}

// For the largest share: a GPU's own block, and its common blocks with half of
// the other GPUs.
template <typename S>
double estimate_panels(Gpu& gpu, std::int64_t m, std::int64_t n, int gpus) {
  const auto down = ceil_div(n, S::size);
  const double common = estimate_tiles<S>(gpu, down * down, m);
  return estimate_tiles<S>(gpu, S::count(n), m) + common * 0.5 * (gpus - 1);
}

template <typename S>
void compute_panels(Gpus& team, const Parts<Covariance::Args<double>>& parts) {
  CovariancePanels<double, S, true>(team, parts).compute();
}

struct PanelsPlan {
  double time = std::numeric_limits<double>::infinity();
  // If not even the smallest tile fits, launch() reports it.
  void (*compute)(Gpus&, const Parts<Covariance::Args<double>>&) =
      compute_panels<TensorTile<TinyTile>>;
};

PanelsPlan plan_panels(Gpus& team,
                       const Parts<Covariance::Args<double>>& parts) {
  const auto& p = parts.back();  // the largest share
  // From one panel to the next, for any of the tiles: see multiply_tile.
  const auto distance = (p.m + TinyTile::deep) * (p.n + LargeTile::size);
  if (team.count() > 1 && distance > std::numeric_limits<int>::max())
    cannot_run("panels of %ld x %ld elements are too large for this kernel",
               static_cast<long>(p.m), static_cast<long>(p.n));
  PanelsPlan plan;
  const auto enter = [&]<typename S>(S) {
    if (S::shared_bytes > team[0].max_shared_bytes()) return;
    const double time = estimate_panels<S>(team[0], p.m, p.n, team.count());
    if (time < plan.time) plan = {time, compute_panels<S>};
  };
  enter(TensorTile<LargeTile>());
  enter(TensorTile<MiddleTile>());
  enter(TensorTile<TinyTile>());
  return plan;
}

}  // namespace

const Register<Covariance, double> variant(
    {
        .rung = 2,
        .idea = "several GPUs: some columns each as in split_panels, "
                "multiplied on the tensor cores",
        .tunables = {gpus()},
        .units = {{Dtype::f64, "tensor double"}},
        .split = {"n"},
        // Two H200s are 1.75 times as fast as one at 144 MB, half as fast
        // at 12 MB.
        .pays_from = 96 << 20,
        .travels = panels_that_travel,
    },
    []<typename T>(Gpus& team, const Parts<Covariance::Args<T>>& parts,
                   const Tunables&) {
      plan_panels(team, parts).compute(team, parts);
    });
