// The oracle of conv2d must find every kind of wrong neighbour or weight, at
// every point, on both kinds of input, and any write to the border.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>

#include "support.hpp"
#include "workloads/conv2d.hpp"

using namespace parlab;

namespace {

// One of the nine products of a point: its weight and its neighbour.
struct Term {
  int weight_down, weight_across, down, across;
};
using Terms = std::vector<Term>;

Terms right_terms() {
  Terms terms;
  for (int down = -1; down <= 1; ++down) {
    for (int across = -1; across <= 1; ++across)
      terms.push_back({down, across, down, across});
  }
  return terms;
}

// Weights transposed, upside down, mirrored, or both; two weights exchanged;
// one product left out; one neighbour replaced by an adjacent one.
std::vector<Terms> wrong_terms() {
  std::vector<Terms> wrong(4, right_terms());
  for (std::size_t i = 0; i < 9; ++i) {
    const auto [down, across, d, a] = right_terms()[i];
    wrong[0][i] = {across, down, d, a};
    wrong[1][i] = {-down, across, d, a};
    wrong[2][i] = {down, -across, d, a};
    wrong[3][i] = {-down, -across, d, a};
    for (std::size_t other = i + 1; other < 9; ++other) {
      wrong.push_back(right_terms());
      std::swap(wrong.back()[i].weight_down, wrong.back()[other].weight_down);
      std::swap(wrong.back()[i].weight_across,
                wrong.back()[other].weight_across);
    }
    wrong.push_back(right_terms());
    wrong.back().erase(wrong.back().begin() + static_cast<std::ptrdiff_t>(i));
    for (const auto& [aside_down, aside_across] :
         {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
      // No points exist beyond the image.
      if (std::abs(d + aside_down) > 1 || std::abs(a + aside_across) > 1)
        continue;
      wrong.push_back(right_terms());
      wrong.back()[i] = {down, across, d + aside_down, a + aside_across};
    }
  }
  return wrong;
}

template <typename T>
struct Image {
  static inline const Size size{19, 25};
  std::vector<T> a, b;
  Arrays arrays;
  std::unique_ptr<Oracle> oracle;

  explicit Image(InputKind kind) : a(size[0] * size[1]), b(a.size()) {
    const auto& workload = *Registry::instance().workload("conv2d");
    const auto specs = workload.arrays(size, dtype_of<T>());
    arrays = Arrays({{specs[0], a.data()}, {specs[1], b.data()}});
    workload.fill(arrays, size, dtype_of<T>(), kind);
    std::memset(b.data(), poison_byte, b.size() * sizeof(T));
    oracle =
        workload.oracle(arrays, size, dtype_of<T>(), kind, Arithmetic::ieee);
    for (std::int64_t row = 1; row < size[0] - 1; ++row) {
      for (std::int64_t col = 1; col < size[1] - 1; ++col)
        at(row, col) = point(right_terms(), row, col);
    }
  }
  // Two adjacent impulses, as may occur in inputs that change between
  // executions: the sum of their products depends on the order, and on fused
  // multiply-adds.
  void add_impulses(std::int64_t row, std::int64_t col, T first, T second) {
    a[row * size[1] + col] = first;
    a[(row + 1) * size[1] + col - 1] = second;
    const auto& workload = *Registry::instance().workload("conv2d");
    oracle = workload.oracle(arrays, size, dtype_of<T>(), InputKind::integers,
                             Arithmetic::ieee);
    for (std::int64_t r = row - 1; r <= row + 2; ++r) {
      for (std::int64_t c = col - 2; c <= col + 1; ++c)
        at(r, c) = point(right_terms(), r, c);
    }
  }
  T& at(std::int64_t row, std::int64_t col) { return b[row * size[1] + col]; }
  T point(const Terms& terms, std::int64_t row, std::int64_t col) const {
    T sum = 0;
    for (const auto& term : terms) {
      sum += Conv2d::weight<T>(term.weight_down, term.weight_across) *
             a[(row + term.down) * size[1] + col + term.across];
    }
    return sum;
  }
  bool right() const { return !oracle->check(arrays); }
};

using Types = std::tuple<float, double>;

}  // namespace

BOOST_AUTO_TEST_SUITE(conv2d)

// One of every 3 x 3 points is an impulse: a wrong term is visible if it uses
// that point.
BOOST_AUTO_TEST_CASE_TEMPLATE(whole_numbers_show_every_wrong_term, T, Types) {
  Image<T> image(InputKind::integers);
  BOOST_TEST(image.right());
  for (const auto& terms : wrong_terms()) {
    int seen = 0;
    for (std::int64_t row = 7; row < 10; ++row) {
      for (std::int64_t col = 11; col < 14; ++col) {
        const T before = image.at(row, col);
        image.at(row, col) = image.point(terms, row, col);
        seen += !image.right();
        image.at(row, col) = before;
      }
    }
    BOOST_TEST(seen >= 1);
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(sums_of_several_impulses_may_be_rounded, T,
                              Types) {
  auto backwards = right_terms();
  std::reverse(backwards.begin(), backwards.end());
  int differ = 0;
  for (const T value : {T{257}, T{-731}, T{999}, T{-3}}) {
    for (std::int64_t row = 6; row < 9; ++row) {
      for (std::int64_t col = 6; col < 9; ++col) {
        Image<T> image(InputKind::integers);
        image.add_impulses(row, col, value, T{811});
        BOOST_TEST(image.right());
        const T forwards = image.at(row, col);
        image.at(row, col) = image.point(backwards, row, col);
        differ += image.at(row, col) != forwards;
        BOOST_TEST(image.right());
        // as by a fused multiply-add
        image.at(row, col) = std::nextafter(forwards, T{0});
        BOOST_TEST(image.right());
        image.at(row, col) = forwards + 1;
        BOOST_TEST(!image.right());
      }
    }
  }
  BOOST_TEST(differ > 0);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(reals_show_every_wrong_term_at_every_point, T,
                              Types) {
  Image<T> image(InputKind::uniform);
  BOOST_TEST(image.right());
  int missed = 0;
  for (const auto& terms : wrong_terms()) {
    for (std::int64_t row = 1; row < image.size[0] - 1; row += 5) {
      for (std::int64_t col = 1; col < image.size[1] - 1; ++col) {
        const T before = image.at(row, col);
        image.at(row, col) = image.point(terms, row, col);
        missed += image.right();
        image.at(row, col) = before;
      }
    }
  }
  BOOST_TEST(missed == 0);
}

// 40 roundings are more than nine products and their sum can have.
BOOST_AUTO_TEST_CASE_TEMPLATE(errors_beyond_rounding_are_found, T, Types) {
  for (const auto kind : {InputKind::integers, InputKind::uniform}) {
    Image<T> image(kind);
    T& point = image.at(9, 9);
    point += 40 * static_cast<T>(unit_roundoff(dtype_of<T>())) *
             std::max(std::abs(point), T{1});
    BOOST_TEST(!image.right());
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_border_must_keep_its_value, T, Types) {
  for (const auto& [row, col] :
       {std::pair{0, 0}, {0, 7}, {18, 24}, {18, 3}, {5, 0}, {5, 24}}) {
    Image<T> image(InputKind::uniform);
    image.at(row, col) = 0;
    BOOST_TEST(!image.right());
  }
}

// Rows of whole words of 64, 32, 16, 8 and 4 bytes, more than one warp side by
// side, an extra odd row, strips that end inside a batch.
BOOST_AUTO_TEST_CASE(all_widths_of_words_are_right) {
  for (const auto* variant : Registry::instance().variants("conv2d")) {
    for (const auto& size : {Size{21, 272}, Size{22, 264}, Size{21, 260},
                             Size{21, 262}, Size{21, 259}}) {
      for (const auto dtype : variant->dtypes) {
        Plan plan = testing::plan_to_verify(*variant, size, dtype);
        if (variant->tunable("threads") != nullptr)
          plan.tunables["threads"] = {1, 3};
        if (variant->tunable("strip") != nullptr) plan.tunables["strip"] = {16};
        if (variant->tunable("batch") != nullptr)
          plan.tunables["batch"] = {2, 4, 8};
        testing::expect_right(plan);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
