// matmul: its oracle, which needs no second product, must find single wrong
// elements, and variants must be right at the sizes at which the last rung
// takes its fast paths.
#include <boost/test/unit_test.hpp>
#include <limits>

#include "facts/cause.hpp"
#include "support.hpp"
#include "text.hpp"
#include "verify/problem.hpp"
#include "workloads/matmul.hpp"

using namespace parlab;
using testing::described, testing::plan_to_verify, testing::right_or_no_gpu;

namespace {

template <typename T>
struct Product {
  // More elements than are compared with a reference one by one, but little
  // work.
  static inline const Size size{5800, 2, 5800};
  using Result = Matmul::Result<T>;
  std::vector<T> a, b;
  std::vector<Result> c;
  Arrays arrays;
  std::unique_ptr<Oracle> oracle;

  explicit Product(InputKind kind, Arithmetic arithmetic = Arithmetic::ieee)
      : a(size[0] * size[1]), b(size[1] * size[2]), c(size[0] * size[2]) {
    const auto& workload = *Registry::instance().workload("matmul");
    const auto specs = workload.arrays(size, dtype_of<T>());
    arrays = Arrays(
        {{specs[0], a.data()}, {specs[1], b.data()}, {specs[2], c.data()}});
    workload.fill(arrays, size, dtype_of<T>(), kind);
    const std::int64_t m = size[0], k = size[1], n = size[2];
    // Uses pointers: this file is not optimised, and calls of operator[] would
    // take most of its time.
#pragma omp parallel for
    for (std::int64_t i = 0; i < m; ++i) {
      Result* const row = &c[i * n];
      for (std::int64_t l = 0; l < k; ++l) {
        const Result factor = a[i * k + l];
        const T* const from = &b[l * n];
        for (std::int64_t j = 0; j < n; ++j)
          row[j] += factor * from[j];
      }
    }
    oracle = workload.oracle(arrays, size, dtype_of<T>(), kind, arithmetic);
  }
  bool right() const {
    return !oracle->check(arrays);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(matmul)

BOOST_AUTO_TEST_CASE_TEMPLATE(
    one_wrong_element_among_whole_numbers_is_found, T,
    decltype(std::tuple<float, double, int, half>())) {
  Product<T> product(InputKind::integers);
  BOOST_TEST(product.right());
  constexpr std::int64_t at = 5800 * 2700 + 313;
  product.c[at] += 1;
  BOOST_TEST(!product.right());
  product.c[at] -= 1;
  std::swap(product.c[58000], product.c[58001]);
  BOOST_TEST_REQUIRE(product.c[58000] != product.c[58001]);
  BOOST_TEST(!product.right());
}

// In any rows that are compared element by element, a doubled element
// has an error of that value.
BOOST_AUTO_TEST_CASE(the_largest_error_is_told_in_roundings_and_in_bounds) {
  Product<float> product(InputKind::uniform);
  const auto error = [&] {
    return product.oracle->largest_error(product.arrays).value();
  };
  BOOST_TEST(error().of_bound > 0);
  BOOST_TEST(error().of_bound <= 1);
  for (std::size_t row = 0; row < 5800; ++row)
    product.c[row * 5800 + 7] *= 2;
  BOOST_TEST(error().of_rounding == 0x1p24, boost::test_tools::tolerance(1e-3));
  BOOST_TEST(error().of_bound > 1e4);
  const Product<float> whole(InputKind::integers);
  BOOST_TEST(!whole.oracle->largest_error(whole.arrays).has_value());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(large_errors_and_nan_among_reals_are_found, T,
                              decltype(std::tuple<float, double>())) {
  Product<T> product(InputKind::uniform);
  BOOST_TEST(product.right());
  const T before = product.c[77777];
  product.c[77777] = std::numeric_limits<T>::quiet_NaN();
  BOOST_TEST(!product.right());
  product.c[77777] = before + T{1000};
  const auto mismatch = product.oracle->check(product.arrays);
  BOOST_TEST_REQUIRE(mismatch.has_value());
  BOOST_TEST(mismatch->where == "c[13,2377]");
  // An error of 1000 is far more than necessary. A row that is not compared
  // element by element has a bound for all of its 5800 elements, which for
  // double includes the check's own sums.
  product.c[77777] = before + static_cast<T>(1e5 * mismatch->bound);
  BOOST_TEST(!product.right());
  product.c[77777] = before + static_cast<T>(0.5 * mismatch->bound);
  BOOST_TEST(product.right());
}

// An element may have the error of its arithmetic, and no more.
BOOST_AUTO_TEST_CASE(tf32_has_a_wider_bound_of_its_own) {
  Product<float> exact(InputKind::uniform),
      rounded(InputKind::uniform, Arithmetic::tf32);
  exact.c[3] += 1e-3f;
  rounded.c[3] += 1e-3f;
  BOOST_TEST(!exact.right());
  BOOST_TEST(rounded.right());
  rounded.c[3] += 4;
  BOOST_TEST(!rounded.right());
}

// (1 + e)^2 - 1 - 2 e = e^2, of which nothing is left in a sum of doubles.
BOOST_AUTO_TEST_CASE(doubles_are_compared_with_more_exact_sums) {
  constexpr double e = 0x1p-30;
  std::vector<double> a{1 + e, 1, 1}, b{1 + e, -1, -2 * e}, c{1};
  const auto& workload = *Registry::instance().workload("matmul");
  const Size size{1, 3, 1};
  const auto specs = workload.arrays(size, Dtype::f64);
  const Arrays arrays(
      {{specs[0], a.data()}, {specs[1], b.data()}, {specs[2], c.data()}});
  const auto wrong = workload
                         .oracle(arrays, size, Dtype::f64, InputKind::uniform,
                                 Arithmetic::ieee)
                         ->check(arrays);
  BOOST_TEST_REQUIRE(wrong.has_value());
  BOOST_TEST(wrong->expected == e * e);
}

// Verified in emulation or on a GPU; a GPU without the required hardware gives
// no result.
void expect_right(const Plan& plan) {
  for (const auto& record : testing::sweep(plan)) {
    const bool lacks_hardware = record.verdict == Verdict::not_supported;
    BOOST_TEST((right_or_no_gpu(record) || lacks_hardware), described(record));
  }
}

BOOST_AUTO_TEST_CASE(shapes_with_and_without_edges_are_right_on_the_gpu) {
  for (const auto* variant : Registry::instance().variants("matmul")) {
    if (!variant->run_gpu) continue;
    // Aligned rows with tiles that stick out; exact tiles; so few that they are
    // made smaller.
    for (const auto& size : {Size{140, 37, 276},
                             {136, 40, 128},
                             {256, 16, 256},
                             {64, 70, 96},
                             {31, 70, 33}}) {
      for (const auto dtype : variant->dtypes)
        expect_right(plan_to_verify(*variant, size, dtype));
    }
  }
}

// Rows of C that fill a device with large tiles; emulation has four
// multiprocessors.
#ifdef PARLAB_EMULATED
constexpr std::int64_t many = 512;
#else
constexpr std::int64_t many = 2048;
#endif

BOOST_AUTO_TEST_CASE(a_device_filled_with_large_tiles_is_right) {
  const auto& warp_tiles = testing::variant_called("matmul/cuda/warp_tiles");
  expect_right(
      plan_to_verify(warp_tiles, {many - 48, 9, many - 48}, Dtype::f32));
}

// So many rows that A or B are first copied to aligned rows.
BOOST_AUTO_TEST_CASE(rows_that_are_not_aligned_are_right_in_a_copy) {
  const auto& tensor = testing::variant_called("matmul/cuda/tensor");
  for (const std::int64_t k : {3, 4}) {
    for (const std::int64_t n : {502, 503})
      expect_right(plan_to_verify(tensor, {501, k, n}, Dtype::f64));
  }
}

// On the CPU: several blocks along k, of unequal depth; several bands of tiles;
// one row, one column, and one step.
BOOST_AUTO_TEST_CASE(panels_of_several_blocks_are_right_on_the_cpu) {
  for (const auto* variant : Registry::instance().variants("matmul")) {
    if (variant->backend != "openmp") continue;
    for (const auto& size : {Size{41, 1700, 70},
                             {500, 30, 75},
                             {1, 900, 130},
                             {130, 900, 1},
                             {90, 1, 90}}) {
      for (const auto dtype : variant->dtypes) {
        Plan plan = plan_to_verify(*variant, size, dtype);
        plan.tunables = {{"threads", {1, 3}}};
        expect_right(plan);
      }
    }
  }
}

// One row or one column, or both, beyond tiles of each size.
BOOST_AUTO_TEST_CASE(what_is_left_beyond_whole_tiles_is_right) {
  const auto& warp_tiles = testing::variant_called("matmul/cuda/warp_tiles");
  const auto& tensor = testing::variant_called("matmul/cuda/tensor");
  for (const auto& size : {Size{many + 1, 17, many + 1},
                           {257, 16, 321},
                           {129, 35, 200},
                           {100, 40, 129},
                           {33, 5, 65}}) {
    expect_right(plan_to_verify(warp_tiles, size, Dtype::f32));
    expect_right(plan_to_verify(tensor, size, Dtype::f64));
  }
  expect_right(plan_to_verify(warp_tiles, {129, 9, 129}, Dtype::f64));
}

// Its tiles of 128 x 128, shared, 96 x 96 and 128 x 64; unaligned rows of A, of
// B and of both, which threads copy; tiles mostly outside C; more blocks than
// steps to share; last, a problem that it leaves to `tensor`. On 132
// multiprocessors or, in emulation, four.
BOOST_AUTO_TEST_CASE(tiles_that_bulk_copies_fill_are_right) {
  const auto& bulk = testing::variant_called("matmul/cuda/tensor_bulk");
#ifdef PARLAB_EMULATED
  const std::vector<Size> sizes{
      {129, 21, 641},  {190, 160, 190}, {191, 160, 189}, {257, 133, 256},
      {384, 140, 256}, {511, 121, 64},  {33, 67, 101}};
#else
  const std::vector<Size> sizes{
      {2100, 1000, 2100}, {2100, 1001, 2101}, {2000, 18, 2047},
      {3001, 777, 1900},  {128, 1000, 17024}, {1500, 33, 1500},
      {1025, 9, 1025},    {1000, 40, 1000},   {1009, 1009, 1009},
      {4001, 2001, 4001}, {2056, 999, 2049},  {2049, 1000, 2120},
      {2176, 3000, 2050}, {2090, 3000, 2176}, {33, 67, 101}};
#endif
  std::size_t bulky = 0, passed = 0;
  for (const auto& size : sizes) {
    Plan plan = plan_to_verify(bulk, size, Dtype::f64);
    for (const auto& record : testing::sweep(plan)) {
      if (testing::contains(record.detail, "compute capability 9.0")) continue;
      BOOST_TEST(right_or_no_gpu(record), described(record));
      if (record.verdict != Verdict::passed) continue;
      ++passed;
      bulky += record.launch.block[0] == 384;
    }
  }
  // Most have these tiles.
  BOOST_TEST(2 * bulky >= passed, bulky << " of " << passed);
}

// Shared tiles with a narrow last column, which emulation has only at sizes
// that a sweep would make smaller. The last kernel adds their parts.
BOOST_AUTO_TEST_CASE(tiles_that_blocks_share_are_right) {
  const auto& workload = *Registry::instance().workload("matmul");
  const auto& bulk = testing::variant_called("matmul/cuda/tensor_bulk");
  for (const auto& size : {Size{200, 800, 386}, {201, 801, 389}}) {
    Problem problem(workload, size, Dtype::f64, {&bulk});
    problem.fill(InputKind::integers);
    const auto executor = make_executor(bulk.target);
    executor->load(problem.inputs(), problem.outputs());
    const Call call{&bulk, size, Dtype::f64, {}};
    try {
      const Checked checked = executor->run_checked(call);
      const auto wrong = problem.check(checked.outputs, bulk);
      BOOST_TEST(!wrong.has_value());
      if (wrong) BOOST_TEST_MESSAGE(wrong->where);
      BOOST_TEST(!checked.damage, to_string(checked.damage));
#ifdef PARLAB_EMULATED
      BOOST_TEST(checked.launch.block[0] == 256);
#endif
    } catch (const PointError& error) {
      BOOST_TEST((error.verdict == Verdict::not_supported ||
                  error.verdict == Verdict::no_device),
                 error.what());
    }
    executor->release();
  }
}

BOOST_AUTO_TEST_SUITE_END()
