#include "workloads/atax.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/loop_workload.hpp"

namespace parlab::reference {
namespace {

// Whole numbers for which every partial sum of both products is exact: elements
// lie in [-limit, limit], and of the matrix one in `thin` is not zero.
struct Integers {
  std::int64_t limit, thin;
};

// With both factors random, t has a standard deviation below
// limit^2 sqrt(cols / thin), and so |A^T| |t| stays below
// limit^3 rows sqrt(cols), with much to spare; the loop makes sure.
Integers exact_integers(const Size& size, Dtype dtype) {
  const double rows = static_cast<double>(size[0]),
               cols = static_cast<double>(size[1]);
  const double exact = 1 / unit_roundoff(dtype);
  const double terms = std::max(rows * std::sqrt(cols), cols);
  return {static_cast<std::int64_t>(
              std::clamp(std::floor(std::cbrt(exact / terms)), 1.0, 8.0)),
          static_cast<std::int64_t>(std::max(std::ceil(terms / exact), 1.0))};
}

bool fill_whole(const Arrays& inputs, const Size& size, Dtype dtype,
                InputKind kind) {
  if (kind != InputKind::integers) return false;
  const auto [limit, thin] = exact_integers(size, dtype);
  dispatch<float, double>(dtype, [&]<typename T>(T) {
    const auto element = [some = WholeRange(limit)](std::uint64_t stream) {
      return [=](std::int64_t i) { return random_integer<T>(stream, i, some); };
    };
    const auto one_in = Remainder(static_cast<std::uint64_t>(thin));
    fill_input<T>(inputs, "a", [=, number = element(1)](std::int64_t i) {
      return one_in.of(random_bits(3, i)) != 0 ? T{0} : number(i);
    });
    fill_input<T>(inputs, "x", element(2));
  });
  return true;
}

}  // namespace

// The terms of y[j] are a_ij t_i = a_ij^2 x_j + a_ij (the rest of t_i), where
// the rest has a random sign: column j is not in it.
const RegisterLoop<Atax, float, double> atax_registered(
    {
        .name = "atax",
        .summary =
            "y = A^T (A x), dense matrix A (rows x cols, row-major), vector x",
        .extents = {"rows", "cols"},
        .arrays = {in("a", {"rows", "cols"}), in("x", {"cols"}),
                   out("y", {"cols"})},
        .flops = [](const Size& size) { return 4.0 * size[0] * size[1]; },
        .fill = fill_whole,
    },
    []<typename In, typename Out>(const Atax::Args<In, Out>& p) {
      using N = typename In::Number;
      std::vector<N> t(p.rows);
      each_row(0, p.rows, [&](std::int64_t row) {
        t[row] = stored(sum_of<N>(p.cols, [&](std::int64_t col) -> N {
          return p.a[row * p.cols + col] * p.x[col];
        }));
      });
      // A thread takes some columns of all rows.
      constexpr std::int64_t width = 128;
      each_row(0, (p.cols + width - 1) / width, [&](std::int64_t strip) {
        const auto first = strip * width,
                   count = std::min(width, p.cols - first);
        std::vector<N> sum(count, N(0));
        for (std::int64_t row = 0; row < p.rows; ++row) {
          for (std::int64_t i = 0; i < count; ++i) {
            const N a = p.a[row * p.cols + first + i];
            sum[i] += with_square(a * t[row], a * a * p.x[first + i]);
          }
        }
        std::copy(sum.begin(), sum.end(), p.y + first);
      });
    });

}  // namespace parlab::reference
