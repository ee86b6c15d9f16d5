// Row after row, entry after entry.
#include "host/host.hpp"
#include "workloads/spmv.hpp"

using namespace parlab;

namespace {

template <typename T>
void spmv_plain(const Spmv::Args<T>& p) {
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
        .rung = 0,
        .idea = "row after row, entry after entry",
    },
    []<typename T>(Host&, const Spmv::Args<T>& p, const Tunables&) {
      spmv_plain(p);
    });
