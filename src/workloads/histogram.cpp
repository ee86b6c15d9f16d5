#include "workloads/histogram.hpp"

#include "reference/loop_workload.hpp"

namespace parlab::reference {
namespace {

// `skew` of a hundred elements are in one bin, the others in any. The number of
// that bin is its own negative as a byte, so changed signs leave it there.
bool fill_bytes(const Arrays& inputs, const Size& size, Dtype dtype,
                InputKind kind) {
  dispatch<std::uint8_t, int>(dtype, [&]<typename T>(T) {
    const auto skew = static_cast<std::uint64_t>(size[1]);
    const auto stream = static_cast<std::uint64_t>(kind);
    fill_input<T>(inputs, "x", [=](std::int64_t i) {
      const auto bits = random_bits(stream, i);
      return static_cast<T>((bits >> 8) % 100 < skew ? 128 : bits & 255);
    });
  });
  return true;
}

}  // namespace

const RegisterLoop<Histogram, std::uint8_t, int> histogram_registered(
    {
        .name = "histogram",
        .summary = "h[b]: how many of the n elements of x have the lowest byte "
                   "b, 256 bins",
        .extents = {"n"},
        .parameters = {{"skew", 0, 0, 100}},
        .arrays = {in("x", {"n"}),
                   {.name = "h",
                    .role = Role::output,
                    .count =
                        [](const Size&) {
                          return std::int64_t{Histogram::bins};
                        },
                    .type = [](Dtype) { return Dtype::i32; }}},
        .flops = [](const Size&) { return 0.0; },
        .fill = fill_bytes,
    },
    []<typename In, typename Out>(const Histogram::Args<In, Out>& p) {
      for (int bin = 0; bin < Histogram::bins; ++bin)
        p.h[bin] = 0;
      for (std::int64_t i = 0; i < p.n; ++i)
        p.h[Histogram::bin_of(index(p.x[i]))] += 1;
    });

}  // namespace parlab::reference
