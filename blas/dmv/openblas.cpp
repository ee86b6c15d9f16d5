// gemv of the host's BLAS: the library that is tuned for this processor.
#include "host/blas.hpp"

#include "host/host.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

const Register<Dmv, float, double> variant(
    {
        .idea = "gemv of the host's BLAS",
        .tunables = {threads()},
    },
    []<typename T>(Host&, const Dmv::Args<T>& p, const Tunables& tunables) {
      Blas::instance().gemv(static_cast<int>(tunables["threads"]), p.rows,
                            p.cols, p.a, p.x, p.y);
    });
