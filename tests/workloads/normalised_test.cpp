// Rows that are normalised: sums go through quotients and roots, and the bound
// stays sharp in long rows. Right sums pass in every order, and a sum that
// leaves out one element of a row is refused.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "filled.hpp"
#include "reference/loop_workload.hpp"

using namespace parlab;
using namespace parlab::reference;

namespace {

constexpr double epsilon = 1e-5;

struct Rows {
  template <typename T, typename Out = T>
  struct Args {
    const T* x;
    Out* y;
    std::int64_t rows, cols;
  };
  template <typename T, typename Out = T>
  static Args<T, Out> bind(const NamedArrays& arrays,
                           const std::int64_t* size) {
    return {arrays.get<const T>("x"), arrays.get<Out>("y"), size[0], size[1]};
  }
};

// y = (x - mean) / sqrt(variance + epsilon); around 0 the mean is taken as 0.
template <bool around_mean>
constexpr auto loop =
    []<typename In, typename Out>(const Rows::Args<In, Out>& p) {
      using N = typename In::Number;
      for (std::int64_t row = 0; row < p.rows; ++row) {
        const auto begin = row * p.cols, end = begin + p.cols;
        N sum = 0, squares = 0;
        if (around_mean) {
          for (auto i = begin; i < end; ++i)
            sum += p.x[i];
        }
        const N mean = row < 2 ? sum / p.cols : stored(sum * (1.0 / p.cols));
        for (auto i = begin; i < end; ++i)
          squares += around_mean ? (p.x[i] - mean) * (p.x[i] - mean)
                                 : N(p.x[i]) * N(p.x[i]);
        const N deviation = sqrt(squares / p.cols + epsilon);
        for (auto i = begin; i < end; ++i)
          p.y[i] = (around_mean ? p.x[i] - mean : p.x[i]) / deviation;
      }
    };

Declaration declared() {
  return {.name = "fake_normalised",
          .summary = "",
          .extents = {"rows", "cols"},
          .arrays = {in("x", {"rows", "cols"}), out("y", {"rows", "cols"})},
          .flops = [](const Size&) { return 1.0; }};
}
const LoopWorkload<Rows, decltype(loop<true>), float, double> around_mean(
    declared());
const LoopWorkload<Rows, decltype(loop<false>), float, double> around_zero(
    declared());

using Types = std::tuple<float, double>;
constexpr InputKind kinds[] = {InputKind::uniform, InputKind::integers,
                               InputKind::wide};

// ---- what a kernel computes -------------------------------------------------

template <typename T>
using Term = std::function<T(std::int64_t)>;
template <typename T>
using Sum = std::function<T(std::int64_t n, const Term<T>& term)>;

template <typename T>
T in_a_chain(std::int64_t n, const Term<T>& term) {
  T sum = 0;
  for (std::int64_t i = 0; i < n; ++i)
    sum += term(i);
  return sum;
}

template <typename T>
T halved(std::int64_t n, const Term<T>& term) {
  if (n <= 1) return n == 0 ? T{0} : term(0);
  return halved<T>(n / 2, term) +
         halved<T>(n - n / 2, [&](auto i) { return term(n / 2 + i); });
}

// Each lane of a warp in strides, then the lanes by halves.
template <typename T>
T by_lanes(std::int64_t n, const Term<T>& term) {
  T lane[32] = {};
  for (std::int64_t i = 0; i < n; ++i)
    lane[i % 32] += term(i);
  for (int distance = 16; distance > 0; distance /= 2) {
    for (int i = 0; i < distance; ++i)
      lane[i] += lane[i + distance];
  }
  return lane[0];
}

template <typename T>
struct Moments {
  T mean, variance;
};
template <typename T>
using Normalise = std::function<Moments<T>(const T* x, std::int64_t n)>;

template <typename T>
Moments<T> two_passes(const Sum<T>& sum, const T* x, std::int64_t n) {
  const T mean = sum(n, [=](auto i) { return x[i]; }) / static_cast<T>(n);
  return {mean, sum(n, [=](auto i) { return (x[i] - mean) * (x[i] - mean); }) /
                    static_cast<T>(n)};
}

template <typename T>
Moments<T> fused(const T* x, std::int64_t n) {
  const T reciprocal = 1 / static_cast<T>(n);
  const T mean = in_a_chain<T>(n, [=](auto i) { return x[i]; }) * reciprocal;
  T squares = 0;
  for (std::int64_t i = 0; i < n; ++i)
    squares = std::fma(x[i] - mean, x[i] - mean, squares);
  return {mean, squares * reciprocal};
}

// B. Welford, Note on a method for calculating corrected sums of squares and
// products, 1962.
template <typename T>
Moments<T> welford(const T* x, std::int64_t n) {
  T mean = 0, squares = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const T off = x[i] - mean;
    mean += off / static_cast<T>(i + 1);
    squares += off * (x[i] - mean);
  }
  return {mean, squares / static_cast<T>(n)};
}

template <typename T>
std::vector<Normalise<T>> right() {
  std::vector<Normalise<T>> all{fused<T>, welford<T>};
  for (const Sum<T> sum : {in_a_chain<T>, halved<T>, by_lanes<T>}) {
    all.push_back([=](const T* x, auto n) { return two_passes(sum, x, n); });
  }
  return all;
}

// ---- problems ---------------------------------------------------------------

template <typename T>
struct Problem : testing::Filled {
  Problem(const Workload& of, const Size& of_size, InputKind kind)
      : Filled(of, of_size, dtype_of<T>(), kind) {}
  // to: the row that is written, counted from the one that is read
  bool passes(const Normalise<T>& moments, double added = epsilon,
              std::int64_t to = 0) const {
    const T* const x = get<const T>("x");
    T* const y = get<T>("y");
    const auto [rows, cols] = std::pair(size[0], size[1]);
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto [mean, variance] = moments(x + row * cols, cols);
      const T deviation = std::sqrt(variance + static_cast<T>(added));
      for (std::int64_t i = 0; i < cols; ++i)
        y[(row + to) % rows * cols + i] =
            (x[row * cols + i] - mean) / deviation;
    }
    return right();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(normalised)

BOOST_AUTO_TEST_CASE_TEMPLATE(right_rows_pass_in_every_order, T, Types) {
  for (const std::int64_t cols : {65, 1000, 4097, 10000, 100003}) {
    for (const auto kind : kinds) {
      // Welford's mean is rounded at zeros; only a quotient knows that.
      const std::int64_t rows = kind == InputKind::wide ? 2 : 3;
      const Problem<T> problem(around_mean, {rows, cols}, kind);
      const auto all = right<T>();
      for (std::size_t i = 0; i < all.size(); ++i)
        BOOST_TEST(problem.passes(all[i]),
                   i << " " << to_string(kind) << " " << cols);
      const Problem<T> without_mean(around_zero, {3, cols}, kind);
      for (const Sum<T> sum : {in_a_chain<T>, halved<T>, by_lanes<T>}) {
        const auto squares = [=](const T* x, std::int64_t n) {
          return Moments<T>{0, sum(n, [=](auto i) { return x[i] * x[i]; }) /
                                   static_cast<T>(n)};
        };
        BOOST_TEST(without_mean.passes(squares), to_string(kind)
                                                     << " " << cols);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(mistakes_in_long_rows_are_refused, T, Types) {
  const auto moments = [](std::int64_t first, std::int64_t left_out,
                          std::int64_t mean_less, std::int64_t less) {
    return [=](const T* x, std::int64_t n) -> Moments<T> {
      const auto count = n - first - left_out;
      auto [mean, variance] = two_passes<T>(halved<T>, x + first, count);
      mean *= static_cast<T>(count) / static_cast<T>(n - mean_less);
      variance *= static_cast<T>(count) / static_cast<T>(n - less);
      return {mean, variance};
    };
  };
  for (const std::int64_t cols : {64, 1000, 4097, 10000, 20000}) {
    // In float a chain rounds sums of so many squares by as much as these two
    // mistakes are worth: 1.5e-5, and 1 / cols of a mean that is nearly 0.
    const bool is_told = std::is_same_v<T, double> || cols <= 4097;
    const Problem<T> problem(around_mean, {8, cols}, InputKind::uniform);
    BOOST_TEST(problem.passes(moments(0, 0, 0, 0)), cols);
    BOOST_TEST(!problem.passes(moments(1, 0, 0, 0)), "the first " << cols);
    BOOST_TEST(!problem.passes(moments(0, 1, 0, 0)), "the last " << cols);
    BOOST_TEST(!problem.passes(moments(0, 1, 1, 1)), "a shorter row " << cols);
    BOOST_TEST((!is_told || !problem.passes(moments(0, 0, 1, 0))),
               "mean n - 1 " << cols);
    BOOST_TEST(!problem.passes(moments(0, 0, 0, 1)), "n - 1 " << cols);
    BOOST_TEST(!problem.passes(moments(0, 0, 0, 0), epsilon, 1),
               "another row " << cols);
    BOOST_TEST((!is_told || !problem.passes(moments(0, 0, 0, 0), 0)),
               "epsilon " << cols);
  }
}

BOOST_AUTO_TEST_SUITE_END()
