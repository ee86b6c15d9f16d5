// Shortest paths: minima of sums, which are added up again. Their bound tells
// right from wrong, and a loop without such a bound is refused.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "filled.hpp"
#include "reference/loop_workload.hpp"

using namespace parlab;
using namespace parlab::reference;

namespace {

struct Paths {
  template <typename T, typename Out = T>
  struct Args {
    const T* a;
    Out* d;
    std::int64_t n;
  };
  static constexpr const char* arrays[] = {"a", "d"};
};

using std::abs, std::min;

// Paths may pass through the nodes from `first` on.
template <typename N, typename In, typename Out>
void find_paths(const Paths::Args<In, Out>& p, std::int64_t first) {
  const auto n = p.n;
  std::vector<N> d(n * n);
  for (std::int64_t i = 0; i < n * n; ++i)
    d[i] = abs(N(p.a[i]));
  for (std::int64_t k = first; k < n; ++k) {
    for (std::int64_t i = 0; i < n * n; ++i)
      d[i] = min(d[i], d[i / n * n + k] + d[k * n + i % n]);
  }
  for (std::int64_t i = 0; i < n * n; ++i)
    p.d[i] = d[i];
}

constexpr auto shortest =
    []<typename In, typename Out>(const Paths::Args<In, Out>& p) {
      find_paths<typename In::Number>(p, 0);
    };

// The errors of y triple in each step.
constexpr auto unproved =
    []<typename In, typename Out>(const Paths::Args<In, Out>& p) {
      for (std::int64_t i = 0; i < p.n * p.n; ++i) {
        typename In::Number y = p.a[i];
        for (int step = 0; step < 25; ++step)
          y = y + y - y;
        p.d[i] = y;
      }
    };

template <typename Loop>
LoopWorkload<Paths, Loop, float, double, int> workload_of(Loop) {
  return LoopWorkload<Paths, Loop, float, double, int>(
      {.name = "fake_paths",
       .summary = "",
       .extents = {"n"},
       .arrays = {in("a", {"n", "n"}), out("d", {"n", "n"})},
       .flops = [](const Size&) { return 1.0; }});
}

// The verdict if paths pass through the nodes from `first` on, and what it
// should be.
struct Verdict {
  bool found_wrong, is_wrong;
};
template <typename T>
Verdict verdict(std::int64_t n, std::int64_t first, InputKind kind) {
  const auto workload = workload_of(shortest);
  const testing::Filled filled(workload, {n}, dtype_of<T>(), kind);
  const Paths::Args<T> p{filled.get<const T>("a"), filled.get<T>("d"), n};
  find_paths<T>(p, 0);
  const std::vector<T> right(p.d, p.d + n * n);
  find_paths<T>(p, first);
  const auto off = [](T a, T b) { return std::abs(a - b) > T(0.001); };
  return {!filled.right(), !std::equal(right.begin(), right.end(), p.d,
                                       [&](T a, T b) { return !off(a, b); })};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(paths)

using Types = std::tuple<float, double, int>;
BOOST_AUTO_TEST_CASE_TEMPLATE(of_all_nodes_alone_are_right, T, Types) {
  for (const auto kind : {InputKind::uniform, InputKind::integers}) {
    for (const std::int64_t n : {1, 2, 3, 4, 33, 60}) {
      int wrong = 0;
      for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1}, n}) {
        const auto [found_wrong, is_wrong] = verdict<T>(n, first, kind);
        BOOST_TEST(found_wrong == is_wrong,
                   n << " " << to_string(kind) << " from " << first);
        wrong += found_wrong ? 1 : 0;
      }
      // Whole numbers may all be 1, and then no path is shorter than another.
      if (n >= 33 && kind == InputKind::uniform) BOOST_TEST(wrong > 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(bounds_that_zeros_keep_are_refused) {
  const auto workload = workload_of(unproved);
  BOOST_CHECK_EXCEPTION(
      testing::Filled(workload, {9}, Dtype::f32, InputKind::uniform),
      std::logic_error, [](const std::exception& error) {
        const std::string_view text = error.what();
        return text.find("zeros in place of d would") != text.npos;
      });
}

BOOST_AUTO_TEST_SUITE_END()
