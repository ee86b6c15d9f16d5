// All threads do together the work that each does alone in `blocked`. There a
// thread packs the rows of A that it multiplies, so threads get whole blocks of
// rows: 1000 rows do not make sixteen equal ones. Here A is packed once for
// all, as B is, and threads get single tiles. A thread waits only once per
// block, and a tile of C is on its way to the cache while its sums are
// computed.
#include "../panels.hpp"
#include "pack.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

template <typename T>
void matmul_panels(Host& host, const Matmul::Args<T>& p, int threads) {
  multiply_panels(
      host, {.m = p.m, .k = p.k, .n = p.n}, p.c, threads,
      [&](std::int64_t row, std::int64_t rows, std::int64_t k0,
          std::int64_t depth,
          T* to) { pack_rows(p.a + row * p.k + k0, p.k, rows, depth, to); },
      [&](std::int64_t col, std::int64_t cols, std::int64_t k0,
          std::int64_t depth,
          T* to) { pack_cols(p.b + k0 * p.n + col, p.n, cols, depth, to); },
      [](auto...) {});
}

}  // namespace

const Register<Matmul, float, double, int> variant(
    {
        .rung = 5,
        .idea = "A and B packed once by all threads together, tiles shared "
                "out one by one",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Matmul::Args<T>& p,
                   const Tunables& tunables) {
      matmul_panels(host, p, static_cast<int>(tunables["threads"]));
    });
