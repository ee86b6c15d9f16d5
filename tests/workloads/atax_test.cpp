// atax: the errors that its oracle must find, and the paths of the last rungs
// that small sizes do not take.
#include <boost/test/unit_test.hpp>
#include <limits>

#include "support.hpp"
#include "text.hpp"
#include "workloads/atax.hpp"

using namespace parlab;
using testing::contains, testing::expect_right, testing::plan_to_verify;

namespace {

template <typename T>
struct Product {
  Size size;
  std::vector<T> a, x, y;
  Arrays arrays;
  std::unique_ptr<Oracle> oracle;

  Product(Size extents, InputKind kind)
      : size(std::move(extents)), a(size[0] * size[1]), x(size[1]), y(size[1]) {
    const auto& workload = *Registry::instance().workload("atax");
    const auto specs = workload.arrays(size, dtype_of<T>());
    arrays = Arrays(
        {{specs[0], a.data()}, {specs[1], x.data()}, {specs[2], y.data()}});
    workload.fill(arrays, size, dtype_of<T>(), kind);
    oracle =
        workload.oracle(arrays, size, dtype_of<T>(), kind, Arithmetic::ieee);
  }
  // y = A^T (A x), or, as the report's kernel computes it, A^T (A^T
  // x) of a square matrix.
  void compute(bool transposed_twice = false) {
    const auto rows = size[0], cols = size[1];
    std::vector<T> t(rows);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < cols; ++j) {
        t[i] += (transposed_twice ? a[j * cols + i] : a[i * cols + j]) * x[j];
      }
    }
    std::fill(y.begin(), y.end(), T{0});
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < cols; ++j)
        y[j] += a[i * cols + j] * t[i];
    }
  }
  bool right() const { return !oracle->check(arrays); }
};

using Reals = std::tuple<float, double>;

}  // namespace

BOOST_AUTO_TEST_SUITE(atax)

BOOST_AUTO_TEST_CASE_TEMPLATE(whole_numbers_must_be_equal, T, Reals) {
  for (const auto& size : {Size{57, 57}, {300, 7}, {7, 300}}) {
    Product<T> product(size, InputKind::integers);
    BOOST_TEST(!product.right());  // nothing computed yet
    product.compute();
    BOOST_TEST(product.right());
    product.y[3] += 1;
    BOOST_TEST(!product.right());
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(reals_must_lie_within_rounding, T, Reals) {
  Product<T> product({57, 93}, InputKind::uniform);
  product.compute();
  BOOST_TEST(product.right());
  const T before = product.y[92];
  for (const T wrong : {before + 1000 * std::numeric_limits<T>::epsilon() * 93,
                        std::numeric_limits<T>::quiet_NaN()}) {
    product.y[92] = wrong;
    BOOST_TEST(!product.right());
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_wrong_orientation_is_found, T, Reals) {
  for (const auto kind : {InputKind::integers, InputKind::uniform}) {
    Product<T> product({41, 41}, kind);
    product.compute(true);
    BOOST_TEST(!product.right());
  }
}

// Equality is demanded: no whole inputs lead to a sum that float cannot hold.
BOOST_AUTO_TEST_CASE(sums_of_whole_numbers_are_exact_in_float) {
  for (const auto& size : {Size{4096, 512}, {200000, 5}, {3, 100000}}) {
    Product<float> product(size, InputKind::integers);
    product.compute();
    BOOST_TEST(product.right());
    product.y[4] += product.y[4] < 0 ? 1 : -1;
    const auto wrong = product.oracle->check(product.arrays);
    BOOST_TEST_REQUIRE(wrong.has_value());
    BOOST_TEST(wrong->bound == 0);
  }
}

// Rows shared by a team of blocks, in more strips than its ring has stages, and
// rows too long for any team. Emulation has room for 8 blocks at once.
BOOST_AUTO_TEST_CASE(strips_are_right_with_teams_and_without) {
  struct Case {
    Size size;
    Dtype dtype;
    std::int64_t block, team, stages;
  };
  const std::vector<Case> cases{
      {{9, 2800}, Dtype::f32, 256, 1, 0},  {{9, 5001}, Dtype::f32, 256, 0, 0},
      {{9, 4090}, Dtype::f32, 256, 1, 0},  {{7, 1777}, Dtype::f32, 0, 1, 3},
      {{9, 1501}, Dtype::f64, 256, 1, 0},  {{70, 64}, Dtype::f32, 128, 4, 2},
      {{70, 66}, Dtype::f64, 128, 4, 3},   {{40, 67}, Dtype::f64, 256, 3, 3},
      {{15, 2050}, Dtype::f64, 256, 2, 3}, {{18, 2000}, Dtype::f64, 256, 1, 2},
      {{4, 2048}, Dtype::f32, 128, 1, 0},  {{4, 1023}, Dtype::f64, 128, 1, 2},
      {{33, 130}, Dtype::f32, 128, 2, 4},  {{33, 131}, Dtype::f32, 256, 2, 4},
      {{5, 5000}, Dtype::f64, 256, 0, 0},  {{3, 6001}, Dtype::f64, 0, 0, 3},
      {{3, 9389}, Dtype::f32, 256, 0, 0},  {{3, 10002}, Dtype::f32, 0, 0, 3},
      {{9, 5000}, Dtype::f32, 256, 1, 0},  {{9, 4999}, Dtype::f32, 256, 1, 0},
      {{9, 2560}, Dtype::f64, 256, 1, 0},  {{9, 2501}, Dtype::f64, 256, 1, 1},
      {{1, 70000}, Dtype::f64, 256, 0, 0}, {{1, 263000}, Dtype::f64, 0, 0, 0}};
  for (const auto* variant : Registry::instance().variants("atax")) {
    if ((variant->name != "fused" && variant->name != "bulk") ||
        !variant->run_gpu)
      continue;
    for (const auto& [size, dtype, block, team, stages] : cases) {
      Plan plan = plan_to_verify(*variant, size, dtype);
      plan.tunables = {
          {"block", {block}}, {"team", {team}}, {"stages", {stages}}};
      expect_right(plan);
    }
  }
}

// A block's share is many rows or a single one, many warps share a row, and
// shares begin after an odd number of elements.
BOOST_AUTO_TEST_CASE(resident_is_right_as_long_as_it_fits) {
  for (const auto* variant : Registry::instance().variants("atax")) {
    if (variant->name != "resident" || !variant->run_gpu) continue;
    for (const auto& size :
         {Size{1, 1}, {2, 5003}, {3, 17}, {5, 801}, {47, 131}, {403, 9}}) {
      for (const auto dtype : {Dtype::f32, Dtype::f64}) {
        Plan plan = plan_to_verify(*variant, size, dtype);
        plan.tunables = {{"block", {128, 384, 1024}}};
        expect_right(plan);
      }
    }
    for (const auto& record :
         testing::sweep(plan_to_verify(*variant, {1, 70000}))) {
      BOOST_TEST(contains(record.detail, "larger than the shared memory"));
    }
  }
}

// Matrices that do not fit emulation's chip, with rows that a warp can hold: in
// words of 16 bytes and element by element, for two widths of lanes, and with
// more rows than warps.
BOOST_AUTO_TEST_CASE(short_rows_are_right) {
  const auto& fused = testing::variant_called("atax/cuda/fused");
  const auto check = [&](const Size& size, Dtype dtype) {
    expect_right(plan_to_verify(fused, size, dtype));
  };
  for (const auto& size : {Size{1000, 512},
                           {1000, 511},
                           {701, 1023},
                           {700, 1024},
                           {602, 1021},
                           {300, 2048},
                           {99000, 5}})
    check(size, Dtype::f32);
  for (const auto& size :
       {Size{1000, 256}, {1000, 255}, {700, 511}, {301, 1024}, {301, 1023}})
    check(size, Dtype::f64);
#ifndef PARLAB_EMULATED  // a GPU holds all of these
  for (const auto& size :
       {Size{40000, 512}, {40001, 511}, {20000, 2047}, {20000, 1023}}) {
    check(size, Dtype::f32);
    check({size[0], size[1] / 2}, Dtype::f64);
  }
#endif
}

BOOST_AUTO_TEST_SUITE_END()
