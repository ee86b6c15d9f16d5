#include "workloads/transpose.hpp"

#include "reference/loop_workload.hpp"

namespace parlab::reference {

const RegisterLoop<Transpose, float, double> transpose_registered(
    {
        .name = "transpose",
        .summary = "B = A^T, dense row-major matrix A (rows x cols)",
        .extents = {"rows", "cols"},
        .arrays = {in("a", {"rows", "cols"}), out("b", {"cols", "rows"})},
        .flops = [](const Size&) { return 0.0; },
    },
    []<typename In, typename Out>(const Transpose::Args<In, Out>& p) {
      each_row(0, p.cols, [&](std::int64_t col) {
        for (std::int64_t row = 0; row < p.rows; ++row)
          p.b[col * p.rows + row] = p.a[row * p.cols + col];
      });
    });

}  // namespace parlab::reference
