#include "workloads/vector_sum.hpp"

#include "reference/loop_workload.hpp"

namespace parlab::reference {

const RegisterLoop<VectorSum, float, double, int> vector_sum_registered(
    {
        .name = "vector_sum",
        .summary = "sum of the n elements of the vector x",
        .extents = {"n"},
        .arrays = {in("x", {"n"}),
                   {.name = "ones",
                    .role = Role::input,
                    .shape = {"n"},
                    .layout_of = "x"},
                   out("sum")},
        .flops = [](const Size& size) { return size[0] - 1.0; },
    },
    []<typename In, typename Out>(const VectorSum::Args<In, Out>& p) {
      using N = typename In::Number;
      *p.sum = sum_of<N>(p.n, [&](std::int64_t i) -> N { return p.x[i]; });
    });

}  // namespace parlab::reference
