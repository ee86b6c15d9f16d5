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

// Whole numbers whose magnitudes add up to no more than T holds exactly:
// the sum of any subset, in any order, is exact. Up to n = 2^23 in float
// every element takes part, with values from -limit / 2 to limit, so
// that the sum grows with n and reaches the last bits of T. Beyond, x is
// cut into 2^23 or fewer strips of equal width, and one element of each,
// at a random place, may differ from zero: leaving out a few strips, or
// counting them twice, still changes the sum.
struct ExactSummands {
  std::int64_t width, limit;

  ExactSummands(std::int64_t n, Dtype dtype) {
    const double most = largest_exact(dtype);
    width = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(2.0 * n / most)));
    const std::int64_t strips = (n + width - 1) / width;
    const double fits = std::floor(most / static_cast<double>(strips));
    limit = static_cast<std::int64_t>(std::clamp(fits, 2.0, 8.0));
  }

  template <typename T>
  T at(std::int64_t i) const {
    const std::int64_t strip = i / width;
    if (width > 1) {
      const auto place =
          random_bits(3, strip) % static_cast<std::uint64_t>(width);
      if (i % width != static_cast<std::int64_t>(place)) return 0;
    }
    const std::int64_t least = -(limit / 2), values = limit - least + 1;
    const auto drawn =
        random_bits(1, strip) % static_cast<std::uint64_t>(values);
    return static_cast<T>(least + static_cast<std::int64_t>(drawn));
  }
};

// Of the sum of n numbers from [-1, 1) in T, whatever the order.
// magnitude: the sum of |x|.
//
// Worst case: (n - 1) u sum|x|, for every order and every n: Jeannerod
// and Rump, Improved error bounds for inner products in floating-point
// arithmetic, SIAM J. Matrix Anal. Appl. 34, 2013. From n = 2^17 on in
// float it is larger than the sum itself, and would let a sum of 0 pass.
// Therefore the probabilistic bound for random data of mean zero takes
// its place where it is smaller:
// The error is the sum of n - 1 rounding errors d_k s_k, |d_k| <= u, s_k the
// partial sums. An s_k of m_k elements is at most l sqrt(m_k) (Hoeffding),
// the m_k of any order add up to at most n (n + 1) / 2, and so, with rounding
// errors of mean zero, the error is at most
//   l u sqrt(sum s_k^2) <= l^2 u n / sqrt(2)  (Azuma);
// all of it fails with a probability below p = 4 n exp(-l^2 / 2). Without the
// sqrt(2) there is room for the errors in the s_k themselves. Higham and Mary,
// Sharper probabilistic backward error analysis for basic linear algebra
// kernels with random data, SIAM J. Sci. Comput. 42, 2020. Holds for orders
// that do not look at the data.
double error_bound(std::int64_t n, double magnitude, double u) {
  constexpr double failure = 1e-9;
  const double worst = static_cast<double>(n - 1) * u * magnitude;
  const double lambda_squared =
      2 * std::log(4.0 * static_cast<double>(n) / failure);
  return std::min(worst, lambda_squared * u * static_cast<double>(n));
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
        const ExactSummands numbers(n, dtype);
        fill_parallel(x, n, [=](std::int64_t i) { return numbers.at<T>(i); });
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

  // The reference is summed in long double; its own error is added. With
  // wide inputs the worst case counts: the terms are few.
  std::unique_ptr<Oracle> oracle(const Arrays& inputs, const Size& size,
                                 Dtype dtype, InputKind kind,
                                 Arithmetic arithmetic) const override {
    return dispatch<float, double, int>(
        dtype, [&]<typename T>(T) -> std::unique_ptr<Oracle> {
          const auto n = size[0];
          const T* x = inputs.get<const T>("x");
          long double sum = 0;
          double magnitude = 0;
          std::int64_t terms = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum, magnitude, terms)
          for (std::int64_t i = 0; i < n; ++i) {
            sum += x[i];
            magnitude += std::abs(static_cast<double>(x[i]));
            terms += x[i] != 0;
          }
          double bound = 0;
          if (kind != InputKind::integers && dtype != Dtype::i32) {
            const Rounding rounds = rounding(dtype, arithmetic);
            bound = kind == InputKind::uniform
                        ? error_bound(n, magnitude, rounds.sum)
                        : gamma(terms, rounds.sum) * magnitude;
            bound += (rounds.product + gamma(terms, 0x1p-64)) * magnitude +
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
