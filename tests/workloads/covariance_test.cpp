// covariance: the packed triangle both ways, the errors that its oracles must
// find, and all variants at shapes and with the parameter that other tests do
// not try.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/random.hpp"
#include "support.hpp"
#include "text.hpp"
#include "workloads/covariance.hpp"

using namespace parlab;
using testing::described, testing::right_or_no_gpu;

namespace {

// Mistakes that a kernel may make. The report's took D D for D^T D
// (`orientation`), which no symmetric input shows.
enum class Wrong {
  nothing,
  orientation,
  no_means,
  divisor,
  last_row,
  lower_triangle,
  one_pass  // means are taken from the products, not from the data
};

template <typename T>
struct Matrix {
  Size size;
  std::int64_t m, n;
  std::vector<T> data, cov, packed;
  Array cov_array, packed_array;
  std::unique_ptr<Oracle> oracle;
  T mean_divisor, divisor;

  Matrix(Size extents, InputKind kind)
      : size(std::move(extents)),
        m(size[0]),
        n(size[1]),
        data(m * n),
        cov(n * n),
        packed(Covariance::packed_count(n)) {
    const auto& workload = *Registry::instance().workload("covariance");
    const auto specs = workload.arrays(size, dtype_of<T>());
    const Arrays inputs({{specs[0], data.data()}});
    cov_array = {specs[1], cov.data()};
    packed_array = {specs[2], packed.data()};
    workload.fill(inputs, size, dtype_of<T>(), kind);
    make_oracle(kind);
    const auto p = Covariance::bind<T>(inputs, size.data());
    mean_divisor = p.mean_divisor;
    divisor = p.divisor;
  }

  // Makes the oracle for the current inputs.
  void make_oracle(InputKind kind) {
    const auto& workload = *Registry::instance().workload("covariance");
    const Arrays inputs(
        {{workload.arrays(size, dtype_of<T>())[0], data.data()}});
    oracle =
        workload.oracle(inputs, size, dtype_of<T>(), kind, Arithmetic::ieee);
  }

  void compute(Wrong wrong = Wrong::nothing) {
    std::vector<T> centred(data);
    std::vector<T> means(n);
    for (std::int64_t j = 0; j < n && wrong != Wrong::no_means; ++j) {
      for (std::int64_t k = 0; k < m; ++k)
        means[j] += data[k * n + j];
      means[j] /= mean_divisor;
      for (std::int64_t k = 0; k < m && wrong != Wrong::one_pass; ++k)
        centred[k * n + j] -= means[j];
    }
    const T by = wrong == Wrong::divisor ? divisor + 1 : divisor;
    const std::int64_t rows = wrong == Wrong::last_row ? m - 1 : m;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = i; j < n; ++j) {
        T sum = 0, other = 0;
        for (std::int64_t k = 0; k < rows; ++k) {
          sum += centred[k * n + i] * centred[k * n + j];
          if (wrong == Wrong::orientation)
            other += centred[i * n + k] * centred[k * n + j];
        }
        if (wrong == Wrong::orientation) sum = other;
        if (wrong == Wrong::one_pass)
          sum -= static_cast<T>(m) * means[i] * means[j];
        cov[i * n + j] = cov[j * n + i] = sum / by;
        packed[Covariance::packed_index(i, j, n)] = sum / by;
      }
      if (wrong == Wrong::lower_triangle && i > 0) cov[i * n] = 0;
    }
  }
  bool cov_right() const { return !oracle->check(Arrays({cov_array})); }
  bool packed_right() const { return !oracle->check(Arrays({packed_array})); }
};

using Reals = std::tuple<float, double>;
constexpr InputKind kinds[] = {InputKind::integers, InputKind::uniform};

bool maps_both_ways(std::int64_t index, std::int64_t row, std::int64_t col,
                    std::int64_t n) {
  const auto place = Covariance::packed_place(index, n);
  return Covariance::packed_index(row, col, n) == index && place.row == row &&
         place.col == col;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(covariance)

static_assert(Covariance::packed_index(1, 2, 3) == 4 &&
              Covariance::packed_place(4, 3).col == 2);

BOOST_AUTO_TEST_CASE(the_packed_triangle_maps_both_ways) {
  for (std::int64_t n = 1; n <= 40; ++n) {
    std::int64_t index = 0;
    for (std::int64_t row = 0; row < n; ++row) {
      for (std::int64_t col = row; col < n; ++col, ++index) {
        BOOST_TEST(maps_both_ways(index, row, col, n),
                   "n " << n << ", index " << index);
      }
    }
    BOOST_TEST(Covariance::packed_count(n) == index);
  }
  // Beyond 32 bits.
  constexpr std::int64_t n = 200'000, count = Covariance::packed_count(n);
  BOOST_TEST(maps_both_ways(count - 1, n - 1, n - 1, n));
  BOOST_TEST(maps_both_ways(count - 2, n - 2, n - 1, n));
  BOOST_TEST(maps_both_ways(n - 1, 0, n - 1, n));
  BOOST_TEST(maps_both_ways(n, 1, 1, n));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(right_results_pass_in_both_layouts, T, Reals) {
  for (const auto& size : {Size{1, 1, 0},
                           {1, 3, 0},
                           {2, 3, 0},
                           {33, 17, 0},
                           {17, 33, 0},
                           {257, 40, 0},
                           {40, 57, 321421201},
                           {9000, 3, 0}}) {
    for (const auto kind :
         {InputKind::integers, InputKind::uniform, InputKind::wide}) {
      Matrix<T> matrix(size, kind);
      matrix.cov[0] = matrix.packed[0] = std::numeric_limits<T>::quiet_NaN();
      BOOST_TEST(!matrix.cov_right());
      BOOST_TEST(!matrix.packed_right());
      matrix.compute();
      BOOST_TEST(matrix.cov_right(), to_string(size));
      BOOST_TEST(matrix.packed_right(), to_string(size));
    }
  }
}

// As they do around timed executions; the means are then no longer whole
// numbers.
BOOST_AUTO_TEST_CASE_TEMPLATE(whole_inputs_may_change, T, Reals) {
  for (const auto& size : {Size{50, 30, 0}, {60, 1100, 0}}) {
    Matrix<T> matrix(size, InputKind::integers);
    for (std::size_t j = 0; j < 8; ++j)
      matrix.data[j] += 1;
    matrix.compute();
    BOOST_TEST(!matrix.cov_right());  // the oracle is that of the earlier
                                      // inputs
    matrix.make_oracle(InputKind::integers);
    BOOST_TEST(matrix.cov_right());
    BOOST_TEST(matrix.packed_right());
    matrix.compute(Wrong::last_row);
    BOOST_TEST(!matrix.cov_right());
    BOOST_TEST(!matrix.packed_right());
  }
}

// Squares of few distinct numbers are rounded alike at each addition, so that
// the errors of a diagonal add up. Executions are timed on such inputs, with
// signs that change.
BOOST_AUTO_TEST_CASE(squares_of_whole_numbers_may_err_in_one_direction) {
  Matrix<float> matrix({4096, 200, 0}, InputKind::integers);
  for (std::size_t i = 0; i < matrix.data.size(); ++i)
    if (random_bits(77, i) % 2 == 0) matrix.data[i] = -matrix.data[i];
  matrix.make_oracle(InputKind::integers);
  matrix.compute();
  BOOST_TEST(matrix.cov_right());
  BOOST_TEST(matrix.packed_right());
  matrix.cov[5 * 200 + 5] *= 1.001f;
  BOOST_TEST(!matrix.cov_right());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(wrong_computations_are_found, T, Reals) {
  for (const auto kind : kinds) {
    Matrix<T> matrix({41, 41, 0}, kind);
    for (const auto wrong : {Wrong::orientation, Wrong::no_means,
                             Wrong::divisor, Wrong::last_row}) {
      matrix.compute(wrong);
      BOOST_TEST(!matrix.cov_right(), static_cast<int>(wrong));
      BOOST_TEST(!matrix.packed_right(), static_cast<int>(wrong));
    }
    matrix.compute(Wrong::lower_triangle);
    BOOST_TEST(!matrix.cov_right());
    matrix.compute();
    std::swap(matrix.packed[1], matrix.packed[41]);  // (0,1) and (1,1)
    BOOST_TEST(!matrix.packed_right());
  }
}

// E[xy] - E[x] E[y] is right for columns without a mean alone.
BOOST_AUTO_TEST_CASE_TEMPLATE(products_that_are_not_centred_are_found, T,
                              Reals) {
  for (const auto& size :
       {Size{2, 2, 0}, {41, 41, 0}, {4096, 7, 0}, {60000, 2, 0}}) {
    Matrix<T> matrix(size, InputKind::wide);
    matrix.compute(Wrong::one_pass);
    BOOST_TEST(!matrix.cov_right(), to_string(size));
    BOOST_TEST(!matrix.packed_right(), to_string(size));
  }
}

// A few roundings more than the bound allows; for whole numbers a single one.
BOOST_AUTO_TEST_CASE_TEMPLATE(errors_beyond_rounding_are_found, T, Reals) {
  Matrix<T> whole({57, 23, 0}, InputKind::integers),
      real({57, 23, 0}, InputKind::uniform);
  whole.compute();
  real.compute();
  whole.cov[2 * 23 + 2] = std::nextafter(whole.cov[2 * 23 + 2], T{1000});
  BOOST_TEST(!whole.cov_right());
  real.cov[2 * 23 + 2] *= 1 + 1000 * std::numeric_limits<T>::epsilon() * 57;
  BOOST_TEST(!real.cov_right());
}

// If there are too many elements to compare each with a reference, random
// vectors find a wrong one, in either triangle, outside the compared rows.
BOOST_AUTO_TEST_CASE(random_vectors_find_a_wrong_element) {
  for (const auto kind : kinds) {
    Matrix<float> matrix({3, 1100, 0}, kind);
    matrix.compute();
    BOOST_TEST(matrix.cov_right());
    BOOST_TEST(matrix.packed_right());
    int found = 0;
    for (const std::int64_t row : {600, 601, 602, 603}) {
      float& element = matrix.cov[row * 1100 + (row % 2 == 0 ? 1000 : 500)];
      const float before = element;
      element += kind == InputKind::integers ? 0.5f : 2.f;
      found += !matrix.cov_right();
      element = before;
    }
    BOOST_TEST(found == 4);
    matrix.packed[Covariance::packed_index(600, 1000, 1100)] += 2;
    BOOST_TEST(!matrix.packed_right());
  }
}

// The oracle throws if a whole input could lead to a sum that the type cannot
// hold.
BOOST_AUTO_TEST_CASE(sums_of_whole_numbers_are_exact_in_float) {
  for (const auto& size :
       {Size{1'000'000, 2, 0}, {3'000'000, 1, 0}, {20, 1000, 5}}) {
    BOOST_CHECK_NO_THROW(Matrix<float>(size, InputKind::integers));
  }
}

// Blocks of several sizes compute the means of 257, 600 and 1100 rows. For 2100
// rows they are sums of several blocks, of whole vectors and of single
// elements. The sizes for large tiles, which the first five rungs do not have,
// are those of `tensor`: 36 columns take the middle tile, shared by blocks, 100
// the same one as a whole, and 300 and 390 the large one.
BOOST_AUTO_TEST_CASE(all_variants_are_right_with_other_shapes_and_float_n) {
  const auto all = Registry::instance().variants("covariance");
  std::vector<const Variant*> with_large_tiles;
  std::ranges::copy_if(
      all, std::back_inserter(with_large_tiles), [](const auto* variant) {
        return variant->target != Target::gpu || variant->rung > 5;
      });
  Plan plan = testing::plan_to_verify(*all.front(), {});
  plan.dtypes = {Dtype::f32, Dtype::f64};
  const auto expect_right = [&](const auto& variants, const auto& sizes) {
    plan.variants = {variants.begin(), variants.end()};
    plan.sizes = sizes;
    for (const auto& record : testing::sweep(plan)) {
      const bool lacks_hardware =
          record.verdict == Verdict::not_supported &&
          !testing::variant_called(record.full_name()).hardware.empty();
      BOOST_TEST((right_or_no_gpu(record) || lacks_hardware),
                 described(record));
      BOOST_TEST(std::ranges::count(sizes, record.size) == 1);
    }
  };
  expect_right(all, std::vector<Size>{{257, 40, 0},
                                      {57, 140, 0},
                                      {600, 12, 0},
                                      {33, 17, 321421201},
                                      {1100, 13, 0},
                                      {2100, 12, 0},
                                      {2100, 13, 0}});
  expect_right(with_large_tiles,
               std::vector<Size>{
                   {257, 100, 0}, {1100, 36, 0}, {3, 300, 0}, {3, 390, 0}});
}

// On the CPU: several blocks of observations and several bands of tiles, by one
// thread and by several.
BOOST_AUTO_TEST_CASE(panels_of_several_blocks_are_right_on_the_cpu) {
  for (const auto* variant : Registry::instance().variants("covariance")) {
    if (variant->backend != "openmp") continue;
    for (const auto& size :
         {Size{1700, 43, 0}, {30, 300, 0}, {1, 70, 0}, {900, 1, 0}}) {
      for (const auto dtype : variant->dtypes) {
        Plan plan = testing::plan_to_verify(*variant, size, dtype);
        plan.tunables = {{"threads", {1, 3}}};
        testing::expect_right(plan);
      }
    }
  }
}

// Tiles of 128, 96 and 64, whole and shared, on 132 multiprocessors or, in
// emulation, four.
BOOST_AUTO_TEST_CASE(tiles_that_bulk_copies_fill_are_right) {
  const auto& bulk = testing::variant_called("covariance/cuda/tensor_bulk");
#ifdef PARLAB_EMULATED
  const std::vector<Size> sizes{{90, 256, 0}, {91, 255, 0},  {30, 500, 0},
                                {41, 190, 0}, {300, 130, 0}, {9, 384, 0}};
#else
  const std::vector<Size> sizes{{1000, 1000, 0}, {1001, 999, 0}, {50, 2100, 0},
                                {800, 1500, 0},  {700, 700, 0},  {90, 200, 0}};
#endif
  for (const auto& size : sizes) {
    for (const auto& record :
         testing::sweep(testing::plan_to_verify(bulk, size, Dtype::f64))) {
      const bool lacks_hardware =
          testing::contains(record.detail, "compute capability 9.0");
      BOOST_TEST((right_or_no_gpu(record) || lacks_hardware),
                 described(record));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
