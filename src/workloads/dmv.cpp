#include "workloads/dmv.hpp"

#include "reference/loop_workload.hpp"

namespace parlab::reference {

const RegisterLoop<Dmv, float, double> dmv_registered(
    {
        .name = "dmv",
        .summary =
            "y = A x, dense matrix A (rows x cols, row-major) times vector x",
        .extents = {"rows", "cols"},
        .arrays = {in("a", {"rows", "cols"}),
                   {.name = "a_transposed",
                    .role = Role::input,
                    .shape = {"cols", "rows"},
                    .layout_of = "a",
                    .map =
                        [](const Size& size) {
                          return LayoutMap{
                              .pitch = size[1], .down = 1, .across = size[0]};
                        }},
                   in("x", {"cols"}),
                   out("y", {"rows"})},
        .flops = [](const Size& size) { return 2.0 * size[0] * size[1]; },
    },
    []<typename In, typename Out>(const Dmv::Args<In, Out>& p) {
      using N = typename In::Number;
      each_row(0, p.rows, [&](std::int64_t row) {
        p.y[row] = sum_of<N>(p.cols, [&](std::int64_t col) -> N {
          return p.a[row * p.cols + col] * p.x[col];
        });
      });
    });

}  // namespace parlab::reference
