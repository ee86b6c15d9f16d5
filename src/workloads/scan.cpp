#include "workloads/scan.hpp"

#include "reference/loop_workload.hpp"

namespace parlab::reference {

const RegisterLoop<Scan, float, double, int> scan_registered(
    {
        .name = "scan",
        .summary =
            "y[i] = x[0] + ... + x[i], the inclusive prefix sum of n elements",
        .extents = {"n"},
        .arrays = {in("x", {"n"}), out("y", {"n"})},
        .flops = [](const Size& size) { return size[0] - 1.0; },
    },
    []<typename In, typename Out>(const Scan::Args<In, Out>& p) {
      typename In::Number sum = 0;
      for (std::int64_t i = 0; i < p.n; ++i)
        p.y[i] = sum += p.x[i];
    });

}  // namespace parlab::reference
