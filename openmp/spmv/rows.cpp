// Each thread takes a stretch of rows, all stretches of the same number of
// rows. A thread whose rows are long keeps the others waiting.
#include "host/host.hpp"
#include "workloads/spmv.hpp"

using namespace parlab;

namespace {

template <typename T>
void spmv_rows(const Spmv::Args<T>& p, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t row = 0; row < p.rows; ++row) {
    T sum = 0;
    for (auto e = p.row_begin[row]; e < p.row_begin[row + 1]; ++e)
      sum += p.values[e] * p.x[p.columns[e]];
    p.y[row] = sum;
  }
}

}  // namespace

const Register<Spmv, float, double> variant(
    {
        .rung = 1,
        .idea = "each thread takes a stretch of rows",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Spmv::Args<T>& p, const Tunables& tunables) {
      spmv_rows(p, static_cast<int>(tunables["threads"]));
    });
