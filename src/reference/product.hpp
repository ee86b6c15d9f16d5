// The oracle of a product of two matrices, C = L R / divisor. Up to
// `affordable` multiplications all of it is computed again. Above, all of it is
// checked with random vectors, and of real numbers a few rows element by
// element. A Product has, for all i < rows, j < cols and k < depth:
//
//   Result, Wide              the type of C, and of sums that are more exact
//   left(i, k), right(k, j)   an element of L, and of R
//   left_rows                 so many of L are read together
//   affordable, most_elements, affordable_sample   multiplications, elements of
//                             C, and multiplications for a few rows
//   exact, most               equality is demanded: the sums are whole, and no
//                             larger than `most`
//   divisor, divided(sum)     of a sum; of a whole one, the element of C
//   bound(i)                  of the elements of row i, as f(j, magnitude)
//   bound_of_signs(i)         of row i times random signs
//   unit(i)                   what IEEE arithmetic errs by, over the magnitude;
//                             without it no magnitudes are known
//   found(outputs)            C as a variant has written it, as f(i, j)
//   outputs(compute)          all outputs; compute(name) is the one that is C
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/chance.hpp"
#include "reference/loop_oracle.hpp"
#include "reference/number.hpp"
#include "reference/progress.hpp"

namespace parlab::reference {

// A whole number modulo 2^64. A row of them that is not zero, times a vector of
// random ones, is zero with probability 2^(v - 64), where 2^v is the largest
// power of two that divides them all. R. Freivalds, Probabilistic machines can
// use less running time, 1977.
using Modular = std::uint64_t;

template <typename Sum, typename Number>
Sum sum_of_one(const Number& number) {
  if constexpr (std::is_same_v<Sum, Modular>)
    return static_cast<Modular>(
        static_cast<std::int64_t>(static_cast<double>(number)));
  else
    return Sum(number);
}

// The matrix of all element(i, j) times `count` vectors that lie side by side.
template <typename Sum, int count = 1, int rows_together = 1, typename Element,
          typename X>
std::vector<Sum> multiply(std::int64_t rows, std::int64_t cols,
                          const Element& element, const std::vector<X>& x) {
  std::vector<Sum> product(rows * count);
  each_row(0, (rows + rows_together - 1) / rows_together, [&](auto part) {
    const auto first = part * rows_together;
    const auto some = rows_together == 1
                          ? 1
                          : std::min<std::int64_t>(rows_together, rows - first);
    Sum sum[rows_together * count] = {};
    for (std::int64_t j = 0; j < cols; ++j) {
      for (std::int64_t i = 0; i < some; ++i) {
        const auto number = sum_of_one<Sum>(element(first + i, j));
        for (int v = 0; v < count; ++v)
          sum[i * count + v] += number * x[j * count + v];
      }
    }
    std::copy_n(sum, some * count, product.begin() + first * count);
  });
  return product;
}

// Whether it knows what IEEE arithmetic errs by.
template <typename Product>
constexpr bool has_unit = requires(const Product& product) {
  product.unit(std::int64_t{});
};

// These rows of C: O(rows depth cols). name: of the output.
template <typename Product>
ExpectedOutput expected_rows(const Product& p, std::string name,
                             std::vector<std::int64_t> rows) {
  using Wide = typename Product::Wide;
  const bool has_magnitudes = has_unit<Product> && !p.exact;
  const auto count = std::ssize(rows);
  auto made =
      expected_matrix(std::move(name), dtype_of<typename Product::Result>(),
                      count, p.cols, has_magnitudes);
  made.rows = std::move(rows);
  // rows of many columns are shared
  constexpr std::int64_t width = 1024;
  const auto parts = (p.cols + width - 1) / width;
  each_row(0, count * parts, [&](std::int64_t part) {
    const auto row = made.rows[part / parts], first = part % parts * width,
               some = std::min(width, p.cols - first),
               at = part / parts * p.cols + first;
    std::vector<Wide> sum(some);
    std::vector<double> magnitude(some);
    for (std::int64_t k = 0; k < p.depth; ++k) {
      const Wide left(p.left(row, k));
      for (std::int64_t j = 0; j < some; ++j)
        sum[j] += left * p.right(k, first + j);
      if (!has_magnitudes) continue;
      const double size = std::abs(static_cast<double>(left));
      for (std::int64_t j = 0; j < some; ++j) {
        magnitude[j] +=
            size * std::abs(static_cast<double>(p.right(k, first + j)));
      }
    }
    if (p.exact) {
      for (std::int64_t j = 0; j < some; ++j) {
        const auto whole = static_cast<double>(sum[j]);
        made.elements[at + j] = {static_cast<double>(p.divided(whole)), 0};
      }
      return;
    }
    const auto bound = p.bound(row);
    double unit = 0;
    if constexpr (has_unit<Product>) unit = p.unit(row);
    for (std::int64_t j = 0; j < some; ++j) {
      const auto value = static_cast<double>(sum[j] / Wide(p.divisor));
      // The last term: the expected value was rounded to double.
      made.elements[at + j] = {
          value, bound(first + j, magnitude[j]) + std::abs(value) * 0x1p-53};
      if (has_magnitudes) made.unit[at + j] = unit * magnitude[j];
    }
  });
  return made;
}

// All of C is looked at by Freivalds' check, C x = L (R x), in O(rows depth +
// depth cols + rows cols) for each vector x.
// - Whole numbers: modulo 2^64, with one vector of random numbers. Errors are
//   at most twice `most`, so that a wrong row is overlooked with a probability
//   of at most 2 `most` / 2^64. This is what finds wrong indexing.
// - Real numbers: with vectors of random signs. The errors of a row, times one
//   of them, are as a rule as large as the root of the sum of their squares.
// The samples are drawn when a result is checked.
template <typename Product>
class ProductOracle final : public Oracle {
 public:
  explicit ProductOracle(std::unique_ptr<const Product> product)
      : product_(std::move(product)) {}

  std::optional<Mismatch> check(const Arrays& outputs) const override {
    if (p_.exact) return check_whole(outputs);
    if (auto mismatch = check_rows(outputs, draw_rows())) return mismatch;
    return check_signs(outputs);
  }
  // The largest error of the elements that are compared one by one.
  std::optional<LargestError> largest_error(
      const Arrays& outputs) const override {
    return in_rows(outputs, draw_rows(), &LoopOracle::largest_error);
  }

 private:
  using Result = typename Product::Result;
  using Wide = typename Product::Wide;
  static constexpr int sign_vectors = 2;

  // A share f of all rows that is wrong has none among them with probability
  // (1 - f)^count, count = 4 to 16.
  std::vector<std::int64_t> draw_rows() const {
    const double count =
        Product::affordable_sample /
        (static_cast<double>(p_.depth) * static_cast<double>(p_.cols));
    std::vector<std::int64_t> some(std::min(
        p_.rows, static_cast<std::int64_t>(std::clamp(count, 4.0, 16.0))));
    std::ranges::generate(some, [&] { return random_below(p_.rows); });
    std::ranges::sort(some);
    some.erase(std::unique(some.begin(), some.end()), some.end());
    return some;
  }

  // The answer of an oracle of these rows about these rows of the result.
  template <typename Answer>
  Answer in_rows(const Arrays& outputs, std::vector<std::int64_t> rows,
                 Answer (LoopOracle::*ask)(const Arrays&) const) const {
    const auto found = p_.found(outputs);
    std::vector<Result> some;
    for (const auto row : rows) {
      for (std::int64_t j = 0; j < p_.cols; ++j)
        some.push_back(found(row, j));
    }
    const auto output =
        std::ranges::find(outputs, Role::output,
                          [](const Array& array) { return array.spec.role; });
    auto expected = expected_rows(p_, output->spec.name, std::move(rows));
    const Arrays result({{expected.spec, some.data()}});
    const LoopOracle oracle(std::move(expected),
                            has_unit<Product> && !p_.exact);
    return (oracle.*ask)(result);
  }
  std::optional<Mismatch> check_rows(const Arrays& outputs,
                                     std::vector<std::int64_t> rows) const {
    return in_rows(outputs, std::move(rows), &LoopOracle::check);
  }

  // L (R x)
  template <typename Sum, int count, typename X>
  std::vector<Sum> product_with(const std::vector<X>& x) const {
    const auto left = [&](auto i, auto k) { return p_.left(i, k); };
    const auto right = [&](auto k, auto j) { return p_.right(k, j); };
    return multiply<Sum, count, Product::left_rows>(
        p_.rows, p_.depth, left,
        multiply<Sum, count>(p_.depth, p_.cols, right, x));
  }

  std::optional<Mismatch> check_whole(const Arrays& outputs) const {
    std::vector<Modular> x(p_.cols);
    std::ranges::generate(x, SystemRandom());
    const auto expected = product_with<Modular, 1>(x);
    const auto found = p_.found(outputs);
    const auto divisor = static_cast<double>(p_.divisor);
    const auto is_wrong = [&](std::int64_t i) {
      Modular sum = 0;
      for (std::int64_t j = 0; j < p_.cols; ++j) {
        const auto element = found(i, j);
        // The whole number this is the quotient of, if it is one.
        const double whole =
            std::nearbyint(static_cast<double>(element) * divisor);
        if (!(std::abs(whole) <= p_.most) || p_.divided(whole) != element)
          return true;
        sum += sum_of_one<Modular>(whole) * x[j];
      }
      return sum != expected[i];
    };
    std::int64_t first = p_.rows;
#pragma omp parallel for schedule(dynamic, 16) reduction(min : first)
    for (std::int64_t i = 0; i < p_.rows; ++i) {
      if (first > i && is_wrong(i)) first = i;
    }
    return first < p_.rows ? check_rows(outputs, {first}) : std::nullopt;
  }

  std::optional<Mismatch> check_signs(const Arrays& outputs) const {
    std::vector<double> signs(p_.cols * sign_vectors);
    std::ranges::generate(
        signs, [random = SystemRandom(), bits = 0ull, left = 0]() mutable {
          if (left == 0) bits = random(), left = 64;
          return bits >> --left & 1 ? 1.0 : -1.0;
        });
    const auto expected = product_with<Wide, sign_vectors>(signs),
               found = multiply<Wide, sign_vectors>(p_.rows, p_.cols,
                                                    p_.found(outputs), signs);
    for (std::int64_t i = 0; i < p_.rows; ++i) {
      const double bound = p_.bound_of_signs(i);
      for (int v = 0; v < sign_vectors; ++v) {
        const auto at = i * sign_vectors + v;
        const Wide right = expected[at] / Wide(p_.divisor);
        if (std::abs(static_cast<double>(found[at] - right)) <= bound) continue;
        if (auto mismatch = check_rows(outputs, {i})) return mismatch;
        return Mismatch{
            "row " + std::to_string(i) + " of the result times a random vector",
            static_cast<double>(right), static_cast<double>(found[at]), bound};
      }
    }
    return std::nullopt;
  }

  std::unique_ptr<const Product> product_;
  const Product& p_ = *product_;
};

template <typename Product, typename... Args>
std::unique_ptr<Oracle> product_oracle(const Args&... args) {
  auto product = std::make_unique<const Product>(args...);
  const auto& p = *product;
  const double elements =
      static_cast<double>(p.rows) * static_cast<double>(p.cols);
  if (elements * static_cast<double>(p.depth) > Product::affordable ||
      elements > Product::most_elements)
    return std::make_unique<ProductOracle<Product>>(std::move(product));
  std::vector<std::int64_t> all(p.rows);
  std::iota(all.begin(), all.end(), 0);
  return std::make_unique<LoopOracle>(p.outputs([&](std::string name) {
    return expected_rows(p, std::move(name), std::move(all));
  }),
                                      has_unit<Product> && !p.exact);
}

}  // namespace parlab::reference
