#include "workloads/softmax.hpp"

#include "reference/loop_workload.hpp"

namespace parlab::reference {

const RegisterLoop<Softmax, float, double> softmax_registered(
    {
        .name = "softmax",
        .summary = "b = exp(a - max a) / sum exp(a - max a), row by row",
        .extents = {"rows", "cols"},
        .arrays = {in("a", {"rows", "cols"}), out("b", {"rows", "cols"})},
        .flops = [](const Size& size) { return 5.0 * size[0] * size[1]; },
    },
    []<typename In, typename Out>(const Softmax::Args<In, Out>& p) {
      using N = typename In::Number;
      each_row(0, p.rows, [&](std::int64_t row) {
        const auto begin = row * p.cols, end = begin + p.cols;
        N most = p.a[begin], sum = 0;
        for (auto i = begin; i < end; ++i)
          most = max(most, p.a[i]);
        for (auto i = begin; i < end; ++i)
          sum += exp(p.a[i] - most);
        for (auto i = begin; i < end; ++i)
          p.b[i] = exp(p.a[i] - most) / sum;
      });
    });

}  // namespace parlab::reference
