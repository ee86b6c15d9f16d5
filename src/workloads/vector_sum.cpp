#include "workloads/vector_sum.hpp"

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "core/variant.hpp"

namespace parlab {
namespace {

// Whole numbers up to this magnitude are exact in T; it is even.
double largest_exact(Dtype dtype) {
  return dtype == Dtype::i32 ? 0x1p31 - 2 : 1 / unit_roundoff(dtype);
}

// Whole numbers that are not 0: each counts. Up to this limit their magnitudes
// add up to no more than T holds exactly: the sum of any subset, in any order,
// is exact. Where even ones have a larger sum, from n = 2^24 on in float, it is
// their random signs that keep the partial sums small: one beyond 11 sqrt(n),
// which float holds up to n = 2^41, has a probability of 1e-26.
std::int64_t largest_summand(std::int64_t n, Dtype dtype) {
  const double most = largest_exact(dtype) / static_cast<double>(n);
  return static_cast<std::int64_t>(std::clamp(std::floor(most), 1.0, 8.0));
}

class VectorSumContract final : public Workload {
 public:
  std::string_view name() const override { return "vector_sum"; }
  std::string_view summary() const override {
    return "sum of the n elements of the vector x";
  }
  std::vector<std::string_view> dimensions() const override { return {"n"}; }

  Size complete(const std::vector<std::int64_t>& typed) const override {
    if (typed.size() != 1) throw UsageError("vector_sum takes one size (n)");
    return {typed.front()};
  }

  std::vector<Dtype> dtypes() const override {
    return {Dtype::f32, Dtype::f64, Dtype::i32};
  }

  Work work(const Size& size, Dtype dtype) const override {
    const double n = size[0];
    const auto element = static_cast<double>(bytes_of(dtype));
    return {n - 1, (n + 1) * element, element};
  }

  std::vector<ArraySpec> arrays(const Size& size, Dtype dtype) const override {
    const auto n = size[0];
    return {{"x", dtype, n, Role::input, "", {"n"}},
            {"ones", dtype, n, Role::input, "x", {"n"}},
            {"sum", dtype, 1, Role::output}};
  }

  void fill(const Arrays& inputs, const Size& size, Dtype dtype,
            InputKind kind) const override {
    dispatch<float, double, int>(dtype, [&]<typename T>(T) {
      const auto n = size[0];
      T* x = inputs.get<T>("x");
      if (kind == InputKind::integers) {
        const auto limit = largest_summand(n, dtype);
        fill_parallel(x, n, [=](std::int64_t i) {
          return random_integer<T>(1, i, limit);
        });
      } else if constexpr (std::is_same_v<T, int>) {
        // As large as they may be: no partial sum overflows.
        const auto limit = std::max<std::int64_t>(
            1, static_cast<std::int64_t>(0x7fffffff) / n);
        fill_parallel(x, n, [=](std::int64_t i) {
          return random_integer<T>(2, i, limit);
        });
      } else if (kind == InputKind::uniform) {
        fill_parallel(x, n,
                      [](std::int64_t i) { return random_uniform<T>(2, i); });
      } else {
        fill_parallel(x, n, [=](std::int64_t i) {
          return random_term(4, i, n) ? random_wide<T>(2, i) : T{0};
        });
      }
      if (T* ones = inputs.get<T>("ones")) {
        fill_parallel(ones, n, [](std::int64_t) { return T{1}; });
      }
    });
  }

  // Uniform numbers have random signs: see Rounding::of_norm. The reference is
  // summed in long double; its own error is added.
  std::unique_ptr<Oracle> oracle(const Arrays& inputs, const Size& size,
                                 Dtype dtype, InputKind kind,
                                 Arithmetic arithmetic) const override {
    return dispatch<float, double, int>(
        dtype, [&]<typename T>(T) -> std::unique_ptr<Oracle> {
          const auto n = size[0];
          const T* x = inputs.get<const T>("x");
          long double sum = 0;
          double squares = 0;
          std::int64_t terms = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum, squares, terms)
          for (std::int64_t i = 0; i < n; ++i) {
            sum += x[i];
            squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
            terms += x[i] != 0;
          }
          double bound = 0;
          if (kind != InputKind::integers && dtype != Dtype::i32) {
            bound =
                (rounding(dtype, arithmetic).of_norm(terms, terms_of(kind)) +
                 reference_rounding<long double>.of_norm(terms,
                                                         terms_of(kind))) *
                    std::sqrt(squares) +
                std::abs(static_cast<double>(sum)) * 0x1p-53;
          }
          return std::make_unique<ElementwiseOracle>(
              "sum", std::vector<double>{static_cast<double>(sum)},
              std::vector<double>{bound});
        });
  }
};

const RegisterWorkload vector_sum_registered(
    std::make_unique<VectorSumContract>());

}  // namespace
}  // namespace parlab
