// Loops that divide and call functions: what is right passes in every order,
// each mistake is refused, and where there is no bound the loop is.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "filled.hpp"
#include "reference/loop_workload.hpp"

using namespace parlab;
using namespace parlab::reference;

namespace {

constexpr InputKind kinds[] = {InputKind::uniform, InputKind::integers,
                               InputKind::wide};
using Types = std::tuple<float, double>;

struct Problem : testing::Filled {
  using Filled::Filled;
  double share_of_bound() const {
    return oracle->largest_error(arrays.view())->of_bound;
  }
};

// ---- softmax ----------------------------------------------------------------

template <typename T>
using Row = std::function<void(const T* a, T* b, std::int64_t cols)>;

template <typename T>
T largest(const T* a, std::int64_t cols) {
  return *std::max_element(a, a + cols);
}

template <typename T, typename Exp>
Row<T> plain_with(Exp exponential) {
  return [=](const T* a, T* b, std::int64_t cols) {
    const T most = largest(a, cols);
    T sum = 0;
    for (std::int64_t i = 0; i < cols; ++i)
      sum += b[i] = static_cast<T>(exponential(a[i] - most));
    for (std::int64_t i = 0; i < cols; ++i)
      b[i] /= sum;
  };
}

// The maximum and the sum from the last element to the first, in one pass, and
// a product with the reciprocal.
template <typename T>
void one_pass(const T* a, T* b, std::int64_t cols) {
  T most = a[cols - 1], sum = 0;
  for (auto i = cols - 1; i >= 0; --i) {
    const T larger = std::max(most, a[i]);
    sum = sum * std::exp(most - larger) + std::exp(a[i] - larger);
    most = larger;
  }
  const T reciprocal = 1 / sum;
  for (std::int64_t i = 0; i < cols; ++i)
    b[i] = std::exp(a[i] - most) * reciprocal;
}

// The sum of a half and of the other half, and so on. Nothing is taken away.
template <typename T>
T halved(const T* x, std::int64_t n) {
  return n == 1 ? x[0] : halved(x, n / 2) + halved(x + n / 2, n - n / 2);
}

template <typename T>
std::vector<Row<T>> right_softmax() {
  return {plain_with<T>([](T x) { return std::exp(x); }), one_pass<T>,
          plain_with<T>([](T x) { return std::exp(static_cast<double>(x)); }),
          [](const T* a, T* b, std::int64_t cols) {
            const T most = largest(a, cols);
            std::transform(a, a + cols, b,
                           [=](T x) { return std::exp(x - most); });
            const T sum = halved(b, cols);
            std::transform(b, b + cols, b, [=](T x) { return x / sum; });
          }};
}

// One step is wrong: the maximum of which elements, the sum of which, the
// quotient by which sum.
template <typename T>
Row<T> mistaken(std::function<bool(std::int64_t i, std::int64_t cols)> summed,
                bool divides = true, bool takes_away = true) {
  return [=](const T* a, T* b, std::int64_t cols) {
    const T of_row = largest(a, cols), most = takes_away ? of_row : 0;
    T sum = 0;
    for (std::int64_t i = 0; i < cols; ++i) {
      if (summed(i, cols)) sum += std::exp(a[i] - most);
    }
    for (std::int64_t i = 0; i < cols; ++i)
      b[i] = std::exp(a[i] - of_row) / (divides ? sum : 1);
  };
}

// So many bits of a value are right.
template <typename T>
T coarse(T x, int bits) {
  int exponent = 0;
  const T fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)),
                    exponent - bits);
}

template <typename T>
std::vector<Row<T>> wrong_softmax() {
  const auto all = [](auto, auto) { return true; };
  constexpr bool is_double = std::is_same_v<T, double>;
  return {
      mistaken<T>([](auto i, auto cols) { return i < cols - 1; }),
      mistaken<T>([](auto i, auto) { return i > 0; }),
      mistaken<T>([](auto i, auto cols) { return i != cols / 2; }),
      mistaken<T>(all, false), mistaken<T>(all, true, false),
      // the functions of another type, and a coarse one
      plain_with<T>([](T x) {
        return is_double ? std::exp(static_cast<float>(x))
                         : coarse(std::exp(x), 11);
      }),
      plain_with<T>(
          [](T x) { return coarse(std::exp(x), is_double ? 34 : 12); }),
      // the softmax of the row without its last element, which stays as it is
      [](const T* a, T* b, std::int64_t cols) { one_pass(a, b, cols - 1); },
      // in the opposite direction
      [](const T* a, T* b, std::int64_t cols) {
        std::vector<T> minus(cols);
        std::transform(a, a + cols, minus.begin(), std::negate<T>());
        one_pass(minus.data(), b, cols);
      }};
}

template <typename T>
Problem softmax(const Size& size, InputKind kind) {
  return {*Registry::instance().workload("softmax"), size, dtype_of<T>(), kind};
}

template <typename T>
void compute_rows(const Problem& problem, const Row<T>& row) {
  const auto cols = problem.size[1];
  for (std::int64_t i = 0; i < problem.size[0]; ++i)
    row(problem.get<T>("a") + i * cols, problem.get<T>("b") + i * cols, cols);
}

// ---- one loop for each function ---------------------------------------------

enum Output {
  sigmoids,
  norms,
  logs,
  clamped,
  ratios,
  waves,
  normals,
  powers,
  count_of_outputs
};

struct Calls {
  template <typename T, typename Out = T>
  struct Args {
    const T *x, *z;
    Out* y;
    std::int64_t rows, n;
  };
  template <typename T, typename Out = T>
  static Args<T, Out> bind(const NamedArrays& arrays,
                           const std::int64_t* size) {
    return {arrays.get<const T>("x"), arrays.get<const T>("z"),
            arrays.get<Out>("y"), size[0], size[1]};
  }
};

// Written once for the loop and for those that compute in T.
template <typename N, typename Args>
void call_all(const Args& p) {
  using std::exp, std::log, std::sqrt, std::tanh, std::abs, std::max, std::min,
      std::sin, std::cos, std::erf, std::pow;
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const auto at = [&](std::int64_t i) { return N(p.x[row * p.n + i]); };
    const auto other = [&](std::int64_t i) { return N(p.z[row * p.n + i]); };
    N squares = 0, exponentials = 0;
    for (std::int64_t i = 0; i < p.n; ++i) {
      squares += at(i) * at(i);
      exponentials += exp(tanh(at(i)));
    }
    const N norm = sqrt(squares + N(0.0625)), logarithm = log(exponentials);
    for (std::int64_t i = 0; i < p.n; ++i) {
      auto* const y = p.y + (row * p.n + i) * count_of_outputs;
      y[sigmoids] = N(1) / (N(1) + exp(-tanh(at(i))));
      y[norms] = at(i) / norm;
      y[logs] = logarithm + other(i);
      y[clamped] = max(min(at(i), N(0.5)), N(-0.25)) * other(i);
      y[ratios] = other(i) / (abs(at(i)) + N(1));
      y[waves] = sin(at(i)) * cos(N(3) * tanh(other(i)));
      y[normals] = N(0.5) + erf(at(i)) * N(0.5);
      y[powers] = pow(N(0.5) + abs(tanh(at(i))), tanh(other(i)));
    }
  }
}

constexpr auto calls_loop =
    []<typename In, typename Out>(const Calls::Args<In, Out>& p) {
      call_all<typename In::Number>(p);
    };

Declaration declared(const char* name, std::vector<DeclaredArray> arrays) {
  return {.name = name,
          .summary = "",
          .extents = {"rows", "n"},
          .arrays = std::move(arrays),
          .flops = [](const Size&) { return 1.0; }};
}

const DeclaredArray y_of_calls{
    .name = "y", .role = Role::output, .count = [](const Size& size) {
      return size[0] * size[1] * count_of_outputs;
    }};

const LoopWorkload<Calls, decltype(calls_loop), float, double> calls(
    declared("fake_calls",
             {in("x", {"rows", "n"}), in("z", {"rows", "n"}), y_of_calls}));

// For loops of which only the last line differs.
template <typename... Types, typename Loop>
auto elementwise(Loop) {
  return LoopWorkload<Calls, Loop, Types...>(declared(
      "fake_elementwise", {in("x", {"rows", "n"}), in("z", {"rows", "n"}),
                           out("y", {"rows", "n"})}));
}

#define PARLAB_LOOP_OF(...)                                      \
  []<typename In, typename Out>(const Calls::Args<In, Out>& p) { \
    using N = typename In::Number;                               \
    for (std::int64_t i = 0; i < p.rows * p.n; ++i) {            \
      [[maybe_unused]] const N x = p.x[i], z = p.z[i];           \
      p.y[i] = N(__VA_ARGS__);                                   \
    }                                                            \
  }

auto says(const std::string& text) {
  return [=](const std::exception& error) {
    BOOST_TEST_MESSAGE(error.what());
    return std::string(error.what()).find(text) != std::string::npos;
  };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(functions)

BOOST_AUTO_TEST_CASE_TEMPLATE(right_softmax_passes_in_every_order, T, Types) {
  for (const auto kind : kinds) {
    for (const Size& size : {Size{1, 1}, Size{3, 2}, Size{7, 33}, Size{65, 31},
                             Size{100, 1000}, Size{3, 20011}}) {
      const auto problem = softmax<T>(size, kind);
      for (const auto& row : right_softmax<T>()) {
        compute_rows(problem, row);
        BOOST_TEST(problem.verdict() == "right", to_string(kind)
                                                     << " " << to_string(size));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(mistakes_of_softmax_are_refused, T, Types) {
  for (const Size& size :
       {Size{3, 2}, Size{7, 33}, Size{65, 31}, Size{100, 1000}}) {
    for (const auto kind : {InputKind::uniform, InputKind::integers}) {
      const auto problem = softmax<T>(size, kind);
      const auto wrong = wrong_softmax<T>();
      for (std::size_t i = 0; i < wrong.size(); ++i) {
        compute_rows(problem, wrong[i]);
        BOOST_TEST(problem.verdict() != "right",
                   i << " " << to_string(kind) << " " << to_string(size));
      }
    }
  }
}

// A bound that nothing comes near would refuse little.
BOOST_AUTO_TEST_CASE_TEMPLATE(the_bound_of_softmax_is_near, T, Types) {
  for (const auto& [cols, share] :
       {std::pair{1, 0.0}, {33, 0.1}, {1000, 0.01}}) {
    const auto problem = softmax<T>({50, cols}, InputKind::uniform);
    compute_rows(problem, right_softmax<T>().front());
    BOOST_TEST_MESSAGE(cols << ": " << problem.share_of_bound());
    BOOST_TEST(problem.share_of_bound() >= share);
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(each_function_has_a_bound, T, Types) {
  const Size size{11, 37};
  for (const auto kind : kinds) {
    const Problem problem(calls, size, dtype_of<T>(), kind);
    Calls::Args<T> p{problem.get<const T>("x"), problem.get<const T>("z"),
                     problem.get<T>("y"), size[0], size[1]};
    call_all<T>(p);
    BOOST_TEST(problem.verdict() == "right", to_string(kind));
    if (kind == InputKind::uniform) BOOST_TEST(problem.share_of_bound() > 0.1);
    // 64 units in the last place are too many for any of them.
    for (int output = 0; output < count_of_outputs; ++output) {
      T& y = p.y[size[1] * count_of_outputs + output];
      const T right = y;
      y += std::max(std::abs(y), T(1)) * 128 *
           static_cast<T>(unit_roundoff(dtype_of<T>()));
      BOOST_TEST(problem.verdict() != "right", to_string(kind)
                                                   << " " << output);
      y = right;
    }
  }
}

BOOST_AUTO_TEST_CASE(whole_numbers_stay_whole_without_quotients) {
  const auto workload = elementwise<float, int>(
      PARLAB_LOOP_OF(max(abs(x), z) - min(x, z) * N(2)));
  const Problem of_ints(workload, {9, 9}, Dtype::i32, InputKind::uniform);
  const Problem problem(workload, {9, 9}, Dtype::f32, InputKind::integers);
  const auto fill = [](const Problem& of, auto zero) {
    using T = decltype(zero);
    const T *const x = of.get<const T>("x"), *const z = of.get<const T>("z");
    for (int i = 0; i < 81; ++i)
      of.get<T>("y")[i] =
          std::max(std::abs(x[i]), z[i]) - 2 * std::min(x[i], z[i]);
  };
  fill(problem, 0.f);
  BOOST_TEST(problem.verdict() == "right");
  float& y = problem.get<float>("y")[40];
  y = std::nextafter(y, 100.f);
  BOOST_TEST(problem.verdict() == "y[4,4]");
  fill(of_ints, 0);
  BOOST_TEST(of_ints.verdict() == "right");
  ++of_ints.get<int>("y")[80];
  BOOST_TEST(of_ints.verdict() == "y[8,8]");
}

BOOST_AUTO_TEST_CASE(a_loop_without_a_bound_is_refused) {
  const auto refuses = [](const auto& loop, InputKind kind) {
    const auto workload = elementwise<float, double>(loop);
    for (const auto dtype : {Dtype::f32, Dtype::f64}) {
      BOOST_CHECK_EXCEPTION(Problem(workload, {20, 20}, dtype, kind),
                            std::logic_error, says("] has no bound: "));
    }
  };
  refuses(PARLAB_LOOP_OF(x / (z + N(3))), InputKind::integers);
  refuses(PARLAB_LOOP_OF(N(1) / (stored(x + z + N(1)) - x - z - N(1))),
          InputKind::uniform);
  refuses(PARLAB_LOOP_OF(log(x)), InputKind::uniform);
  refuses(PARLAB_LOOP_OF(pow(x, z)), InputKind::uniform);
  refuses(PARLAB_LOOP_OF(sqrt(sin(N(3) + x * x))), InputKind::uniform);
  refuses(PARLAB_LOOP_OF(sqrt(x) + z), InputKind::uniform);
  refuses(PARLAB_LOOP_OF(exp(x * N(2000))), InputKind::uniform);
  // whose variants would not agree about the smaller of two that have none
  refuses(PARLAB_LOOP_OF(max(z, sqrt(x))), InputKind::uniform);
}

// A variance of one number is 0, and its error may be larger than the constant
// that is added to it.
BOOST_AUTO_TEST_CASE(what_is_never_negative_has_a_root) {
  const auto workload = elementwise<float, double>(PARLAB_LOOP_OF([&] {
    const N d = stored(x + z) - x - z;
    return d / sqrt(d * d + N(1e-5)) + log(N(1) + abs(d * d) / N(3)) +
           sqrt(x * x * N(2)) / (x * x + z * z * N(2) + N(1));
  }()));
  for (const auto kind : kinds) {
    const Problem problem(workload, {20, 20}, Dtype::f64, kind);
    const double *const x = problem.get<const double>("x"),
                        *const z = problem.get<const double>("z");
    double* const y = problem.get<double>("y");
    for (int i = 0; i < 400; ++i) {
      y[i] = std::sqrt(2 * x[i] * x[i]) / (x[i] * x[i] + 2 * z[i] * z[i] + 1);
    }
    BOOST_TEST(problem.verdict() == "right");
    if (kind == InputKind::wide) continue;
    y[70] += 1e-4;
    BOOST_TEST(problem.verdict() == "y[3,10]");
  }
  const auto of_differences = elementwise<float>(PARLAB_LOOP_OF([&] {
    const N d = stored(x + z) - x - z, e = stored(z + x) - z - x;
    return sqrt(d * e + N(1e-30));
  }()));
  BOOST_CHECK_EXCEPTION(
      Problem(of_differences, {20, 20}, Dtype::f32, InputKind::uniform),
      std::logic_error, says("] has no bound: "));
}

// Half of a floor is the least, and the root of 0 is 0.
BOOST_AUTO_TEST_CASE(floors_bound_errors) {
  for (const double least : {0.0, 1e-6, 0.5}) {
    const double x = 1, off = 3;
    const double root = Sqrt::error(x, off, least, 1);
    BOOST_TEST(root >= 1 - std::sqrt(least));
    BOOST_TEST(root >= 1);
    BOOST_TEST(root <= 1 + 1e-12);
    const double log = Log::error(x, off, least, 0);
    BOOST_TEST(log >= std::max(std::log(4.0), -std::log(least)) * (1 - 1e-12));
    BOOST_TEST(std::isinf(log) == (least == 0));
  }
  BOOST_TEST(std::isinf(Sqrt::error(1, 3, -1e-9, 1)));
  BOOST_TEST(Sqrt::error(0, 0, 0, 0) == 0);
}

BOOST_AUTO_TEST_CASE(errors_of_arguments_are_carried_on) {
  const auto check = [](auto function, std::initializer_list<double> xs) {
    using F = decltype(function);
    for (const double x : xs) {
      for (const double off : {1e-7, 1e-5, 0.01, 0.3, 2.0}) {
        const double y = F::of(x), error = F::error(x, off, x - off, y),
                     most = std::max(std::abs(F::of(x + off) - y),
                                     std::abs(F::of(x - off) - y));
        if (std::isnan(most)) {
          BOOST_TEST(std::isinf(error));
          continue;
        }
        BOOST_TEST(error >= most * (1 - 1e-4), x << " " << off);
        BOOST_TEST((off > 0.1 || error <= most * 1.1), x << " " << off);
      }
    }
  };
  check(Exp(), {-20.0, -1.0, 0.0, 0.5, 30.0});
  check(Log(), {0.5, 1.0, 1.5, 700.0});
  check(Sqrt(), {0.5, 1.0, 700.0});
  check(Tanh(), {-3.0, -0.5, 0.25, 0.5, 1.0});
  check(Erf(), {-2.0, -0.5, 0.25, 0.5, 1.0});
  check(Sin(), {-3.0, -0.5, 0.0, 1.5707, 100.0});
  check(Cos(), {-3.0, -0.5, 0.1, 1.5707, 100.0});
}

BOOST_AUTO_TEST_CASE(an_array_that_is_not_declared_is_named) {
  const LoopWorkload<Calls, decltype(calls_loop), float> forgetful(
      declared("fake_forgetful", {in("x", {"rows", "n"}), y_of_calls}));
  BOOST_CHECK_EXCEPTION(
      Problem(forgetful, {4, 4}, Dtype::f32, InputKind::uniform),
      std::logic_error,
      says("fake_forgetful: its arguments need the array 'z', but declared are "
           "x, y"));
}

BOOST_AUTO_TEST_SUITE_END()
