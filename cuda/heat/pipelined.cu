// Shared memory delivers five points for each point that `temporal` computes,
// and this is its limit. Here the steps of a launch follow one another in the
// registers of a warp: it marches down a strip, and each row that arrives moves
// a row of every step one step on (march.cuh). Only left and right neighbours
// go from lane to lane, by two shuffles per word of points. Eight steps move as
// much memory as one did.
#include "march.cuh"

namespace {

template <int depth, bool aligned, typename T>
void take_steps(Gpu& gpu, const Heat::Args<T>& p, const T* from, T* to,
                std::int64_t steps, std::int64_t strip) {
  if constexpr (depth > 1) {
    if (steps < depth)
      return take_steps<depth / 2, aligned>(gpu, p, from, to, steps, strip);
  }
  launch_march<depth, aligned>(gpu, p, from, to, strip);
}

}  // namespace

const Register<Heat, float, double> variant(
    {
        .rung = 4,
        .idea = "a warp marches down with the rows of up to eight steps in its "
                "registers",
        // strip: its rows; 0: one wave of warps
        .tunables = {depth_of_launch(8), rows_of_strip()},
    },
    []<typename T>(Gpu& gpu, const Heat::Args<T>& p, const Tunables& tunables) {
      const auto run = has_aligned_rows(p) ? take_steps<8, true, T>
                                           : take_steps<8, false, T>;
      in_launches(gpu, p, tunables["depth"],
                  [&](const T* from, T* to, std::int64_t steps) {
                    run(gpu, p, from, to, steps, tunables["strip"]);
                  });
    });
