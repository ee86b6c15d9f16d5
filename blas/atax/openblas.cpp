// Two gemv of the host's BLAS, the second with the transposed matrix:
// each reads the matrix from memory.
#include "host/blas.hpp"

#include "host/host.hpp"
#include "workloads/atax.hpp"

using namespace parlab;

const Register<Atax, float, double> variant(
    {
        .idea = "two gemv of the host's BLAS, plain and transposed",
        .tunables = {threads()},
    },
    []<typename T>(Host& host, const Atax::Args<T>& p,
                   const Tunables& tunables) {
      const auto& library = Blas::instance();
      const int threads = static_cast<int>(tunables["threads"]);
      T* const t = host.scratch<T>(p.rows);
      library.gemv(threads, p.rows, p.cols, p.a, p.x, t);
      library.gemv_transposed(threads, p.rows, p.cols, p.a, t, p.y);
    });
