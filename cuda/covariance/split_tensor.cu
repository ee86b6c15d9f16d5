// `split_panels` on the tensor cores, with the tiles of `tensor`. In double one
// GPU with its tensor cores is faster than two without.
#include <limits>

#include "split_panels.cuh"
#include "tensor.cuh"

namespace {

// Both pieces lie in one allocation: see CovariancePanels.
template <typename Tile, typename S = TensorTile<Tile>>
__device__ void multiply_tile(TensorTile<Tile> tile,
                              const double* left_from,
                              const double* right_from,
                              std::int64_t stride,
                              int steps,
                              double* shared,
                              double (&sum)[S::rows][S::cols]) {
  multiply_tile(tile, left_from, 0, static_cast<int>(right_from - left_from),
                stride, steps, shared, sum);
}

// As of TensorPlan, the tiles of a launch alone.
template <typename S>
double estimate_tiles(Gpu& gpu, std::int64_t tiles, std::int64_t m) {
  const double most =
                   static_cast<double>(ceil_div(tiles, gpu.multiprocessors())),
               deep = static_cast<double>(ceil_div(m, S::deep) * S::deep);
  return (most * deep * S::share + S::begin) * S::size * S::size;
}

// Of the largest share: its own block, and those that it has in common with
// half of the others.
template <typename S>
double estimate_panels(Gpu& gpu, std::int64_t m, std::int64_t n, int gpus) {
  const auto down = ceil_div(n, S::size);
  const double common = estimate_tiles<S>(gpu, down * down, m);
  return estimate_tiles<S>(gpu, S::count(n), m) + common * 0.5 * (gpus - 1);
}

struct PanelsPlan {
  double time = std::numeric_limits<double>::infinity();
  void (*compute)(Gpus&, const Parts<Covariance::Args<double>>&) = nullptr;
};

PanelsPlan plan_panels(Gpus& team,
                       const Parts<Covariance::Args<double>>& parts) {
  PanelsPlan plan;
  const auto& p = parts[0];
  const auto enter = [&]<typename S>(S) {
    // From one panel to the next: see multiply_tile.
    const auto distance = (p.m + S::deep) * (p.n + S::size);
    if (distance > std::numeric_limits<int>::max()) return;
    if (S::shared_bytes > team[0].max_shared_bytes()) return;
    const double time = estimate_panels<S>(team[0], p.m, p.n, team.count());
    if (time >= plan.time) return;
    plan = {time, [](auto& on, const auto& of) {
              CovariancePanels<double, S>(on, of).compute();
            }};
  };
  enter(TensorTile<LargeTile>());
  enter(TensorTile<MiddleTile>());
  enter(TensorTile<TinyTile>());
  if (plan.compute == nullptr)
    cannot_run("panels of %ld x %ld elements are too large for this kernel",
               static_cast<long>(p.m), static_cast<long>(p.n));
  return plan;
}

}  // namespace

const Register<Covariance, double> variant(
    {
        .rung = 2,
        .idea = "several GPUs: columns to each as in split_panels, multiplied "
                "on the tensor cores",
        .tunables = {gpus()},
        .units = {{Dtype::f64, "tensor double"}},
        .split = {"n"},
        .travels = panels_that_travel,
    },
    []<typename T>(Gpus& team,
                   const Parts<Covariance::Args<T>>& parts,
                   const Tunables&) {
      plan_panels(team, parts).compute(team, parts);
    });
