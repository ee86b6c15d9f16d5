#include "workloads/spmv.hpp"

#include "reference/loop_workload.hpp"

namespace parlab::reference {
namespace {

std::int64_t entries(const Size& size) {
  return Spmv::entries_before(size[0], size[2]);
}

// Beside the diagonal, in a band, in no order.
std::int64_t column(const Size& size, std::int64_t entry) {
  const auto band = static_cast<std::int64_t>(random_bits(0, entry) % 4096);
  const auto on_diagonal = 1.0 * entry / entries(size) * size[1];
  return (static_cast<std::int64_t>(on_diagonal) + band) % size[1];
}

}  // namespace

const RegisterLoop<Spmv, float, double> spmv_registered(
    {
        .name = "spmv",
        .summary = "y = A x for a sparse matrix A (rows x cols) in CSR",
        .extents = {"rows", "cols"},
        .parameters = {{"longest", 1024, 2, 1 << 20, 1, true}},
        .arrays = {structure<std::uint32_t>(
                       "row_begin",
                       [](const Size& size) { return size[0] + 1; },
                       [](const Size& size, std::int64_t row) {
                         return Spmv::entries_before(row, size[2]);
                       }),
                   structure<std::int32_t>("columns", entries, column),
                   in("values", entries), in("x", {"cols"}),
                   out("y", {"rows"})},
        .flops = [](const Size& size) { return 2.0 * entries(size); },
    },
    []<typename In, typename Out>(const Spmv::Args<In, Out>& p) {
      each_row(0, p.rows, [&](std::int64_t row) {
        typename In::Number sum = 0;
        for (auto e = p.row_begin[row]; e < p.row_begin[row + 1]; ++e)
          sum += p.values[e] * p.x[p.columns[e]];
        p.y[row] = sum;
      });
    });

}  // namespace parlab::reference
