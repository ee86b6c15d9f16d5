// Wrong kernels that once passed: they compute only the elements that a sampled
// check examined when its rows and signs were constants, or leave out terms of
// long sums when bounds were wider than these terms. The honest kernels with
// the largest errors must pass: their sum is one chain of additions.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <vector>

#include "core/random.hpp"
#include "core/variant.hpp"
#include "filled.hpp"
#include "workloads/covariance.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;

namespace {

struct Case : testing::Filled {
  Case(const char* name, const Size& of_size, Dtype dtype, InputKind kind)
      : Filled(*Registry::instance().workload(name), of_size, dtype, kind) {}
};

// ---- cheating a constant sample --------------------------------------------

std::set<std::int64_t> rows_seen_once(std::int64_t rows) {
  std::set<std::int64_t> seen{0, rows - 1};
  for (std::uint64_t i = 0; i < 62; ++i)
    seen.insert(static_cast<std::int64_t>(random_bits(4, i) %
                                          static_cast<std::uint64_t>(rows)));
  return seen;
}

// Groups of columns that had the same signs in all of the (fixed number of)
// vectors, which those could not distinguish.
template <typename Sign>
std::vector<std::vector<std::int64_t>> columns_alike(std::int64_t cols,
                                                     int vectors,
                                                     const Sign& sign) {
  std::map<std::uint64_t, std::vector<std::int64_t>> groups;
  for (std::int64_t j = 0; j < cols; ++j) {
    std::uint64_t pattern = 0;
    for (int v = 0; v < vectors; ++v)
      pattern = pattern * 2 + sign(static_cast<std::uint64_t>(j), v);
    groups[pattern].push_back(j);
  }
  std::vector<std::vector<std::int64_t>> alike;
  for (auto& [pattern, columns] : groups) {
    if (columns.size() > 1) alike.push_back(std::move(columns));
  }
  return alike;
}

// Stores each group's sum in its first column and zeros in the others, in every
// `step`th row except those that were compared.
template <typename T>
void keep_what_was_seen(T* result, std::int64_t rows, std::int64_t cols,
                        const std::vector<std::vector<std::int64_t>>& groups,
                        std::int64_t step) {
  const auto seen = rows_seen_once(rows);
  for (std::int64_t i = 1; i < rows; i += step) {
    if (seen.contains(i)) continue;
    for (const auto& group : groups) {
      double sum = 0;
      for (const auto j : group)
        sum += std::exchange(result[i * cols + j], T{0});
      result[i * cols + group.front()] = static_cast<T>(sum);
    }
  }
}

// ---- sums -------------------------------------------------------------------

// The sum of a[i * step_a] b[i * step_b] as one chain; this many of a thousand
// terms are left out.
template <typename Sum, typename T>
Sum chain(const T* a, std::int64_t step_a, const T* b, std::int64_t step_b,
          std::int64_t count, int left_out) {
  Sum sum = 0;
  for (std::int64_t i = 0, of_thousand = 0; i < count; ++i) {
    if (of_thousand >= left_out)
      sum += static_cast<Sum>(a[i * step_a]) * static_cast<Sum>(b[i * step_b]);
    if (++of_thousand == 1000) of_thousand = 0;
  }
  return sum;
}

// The honest kernel passes; a kernel that leaves out some of a thousand terms
// does not.
template <typename Compute>
void expect_all_terms(const Case& problem, const Compute& compute) {
  for (const int left_out : {0, 10, 50, 400}) {
    compute(left_out);
    BOOST_TEST(problem.right() == (left_out == 0), left_out << " left out");
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(planted)

BOOST_AUTO_TEST_CASE(what_matmul_compared_once_is_not_enough) {
  const Size size{1700, 2, 20000};
  for (const auto kind : {InputKind::integers, InputKind::uniform}) {
    const Case product("matmul", size, Dtype::f32, kind);
    const auto *a = product.get<float>("a"), *b = product.get<float>("b");
    auto* c = product.get<float>("c");
    const auto [m, k, n] = std::tuple(size[0], size[1], size[2]);
    const int vectors = kind == InputKind::integers ? 24 : 8;
    const auto groups = columns_alike(n, vectors, [=](std::uint64_t j, int v) {
      const auto count = static_cast<std::uint64_t>(vectors);
      return random_bits(3, j * count + static_cast<std::uint64_t>(v)) >> 63;
    });
    BOOST_TEST_REQUIRE(!groups.empty());
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j)
        c[i * n + j] = a[i * k] * b[j] + a[i * k + 1] * b[n + j];
    }
    BOOST_TEST(product.right());
    for (const int step : {64, 1}) {
      keep_what_was_seen(c, m, n, groups, step);
      BOOST_TEST(!product.right(), "every row of " << step);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_covariance_compared_once_is_not_enough) {
  const Size size{3, 1500, 0};
  for (const auto kind : {InputKind::integers, InputKind::uniform}) {
    const Case matrix("covariance", size, Dtype::f32, kind);
    const auto [m, n] = std::tuple(size[0], size[1]);
    const auto* data = matrix.get<float>("data");
    auto* cov = matrix.get<float>("cov");
    const auto groups = columns_alike(n, 16, [](std::uint64_t j, int v) {
      return random_bits(5, j) >> v & 1;
    });
    BOOST_TEST_REQUIRE(!groups.empty());
    std::vector<double> centred(data, data + m * n);
    for (std::int64_t j = 0; j < n; ++j) {
      const double mean =
          (centred[j] + centred[n + j] + centred[2 * n + j]) / 3;
      for (std::int64_t k = 0; k < m; ++k)
        centred[k * n + j] -= mean;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < m; ++k)
          sum += centred[k * n + i] * centred[k * n + j];
        cov[i * n + j] = static_cast<float>(sum / 2);
      }
    }
    BOOST_TEST(matrix.right());
    for (const int step : {64, 1}) {
      keep_what_was_seen(cov, n, n, groups, step);
      BOOST_TEST(!matrix.right(), "every row of " << step);
    }
  }
}

BOOST_AUTO_TEST_CASE(long_rows_of_dmv_need_all_terms) {
  constexpr std::int64_t rows = 4, cols = 8'000'000;
  const Case problem("dmv", {rows, cols}, Dtype::f32, InputKind::uniform);
  const auto *a = problem.get<float>("a"), *x = problem.get<float>("x");
  expect_all_terms(problem, [&](int left_out) {
    for (std::int64_t i = 0; i < rows; ++i)
      problem.get<float>("y")[i] =
          chain<float>(a + i * cols, 1, x, 1, cols, left_out);
  });
}

BOOST_AUTO_TEST_CASE(a_long_sum_needs_all_terms) {
  constexpr std::int64_t n = 30'000'000;
  const Case problem("vector_sum", {n}, Dtype::f32, InputKind::uniform);
  const auto* x = problem.get<float>("x");
  const float one = 1;
  expect_all_terms(problem, [&](int left_out) {
    *problem.get<float>("sum") = chain<float>(x, 1, &one, 0, n, left_out);
  });
}

BOOST_AUTO_TEST_CASE(long_sums_of_atax_need_all_terms) {
  for (const auto& size : {Size{4, 4'000'000}, {400'000, 4}}) {
    const Case problem("atax", size, Dtype::f32, InputKind::uniform);
    const auto [rows, cols] = std::tuple(size[0], size[1]);
    const bool wide = cols > rows;
    const auto *a = problem.get<float>("a"), *x = problem.get<float>("x");
    auto* y = problem.get<float>("y");
    std::vector<float> t(rows);
    expect_all_terms(problem, [&, rows = rows, cols = cols](int left_out) {
      for (std::int64_t i = 0; i < rows; ++i)
        t[i] = chain<float>(a + i * cols, 1, x, 1, cols, wide ? left_out : 0);
      for (std::int64_t j = 0; j < cols; ++j)
        y[j] =
            chain<float>(a + j, cols, t.data(), 1, rows, wide ? 0 : left_out);
    });
  }
}

template <typename T>
void expect_all_terms_of_matmul(std::int64_t k) {
  constexpr std::int64_t m = 2, n = 4;
  const Case problem("matmul", {m, k, n}, dtype_of<T>(), InputKind::uniform);
  const auto *a = problem.get<T>("a"), *b = problem.get<T>("b");
  expect_all_terms(problem, [&](int left_out) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j)
        problem.get<float>("c")[i * n + j] =
            chain<float>(a + i * k, 1, b + j, n, k, left_out);
    }
  });
}

BOOST_AUTO_TEST_CASE(long_sums_of_matmul_need_all_terms) {
  expect_all_terms_of_matmul<float>(4'000'000);
  expect_all_terms_of_matmul<half>(65536);
  expect_all_terms_of_matmul<bfloat16>(65536);
}

// The variances reveal a missing term, so terms are left out of covariances
// only.
BOOST_AUTO_TEST_CASE(long_sums_of_covariance_need_all_terms) {
  constexpr std::int64_t m = 4'000'000, n = 3;
  const Case problem("covariance", {m, n, 0}, Dtype::f32, InputKind::uniform);
  auto* cov = problem.get<float>("cov");
  const auto* data = problem.get<float>("data");
  std::vector<float> centred(data, data + m * n);
  const float one = 1;
  for (std::int64_t j = 0; j < n; ++j) {
    const float mean =
        chain<float>(data + j, n, &one, 0, m, 0) / static_cast<float>(m);
    for (std::int64_t k = 0; k < m; ++k)
      centred[k * n + j] -= mean;
  }
  expect_all_terms(problem, [&](int left_out) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const auto *c = &centred[i], *d = &centred[j];
        cov[i * n + j] = chain<float>(c, n, d, n, m, i == j ? 0 : left_out) /
                         static_cast<float>(m - 1);
      }
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()
