// Some loops have stored values whose errors are independent. Only their error
// bound may count on random signs.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <vector>

#include "reference/structure.hpp"

using namespace parlab::reference;

namespace {

// Outputs of a loop over a matrix of n x n inputs and a vector of n.
struct Inputs {
  std::int64_t n;
  std::vector<char> places = std::vector<char>(n * n + n);
  Symbol a(std::int64_t row, std::int64_t col) const {
    return Symbol::read(1, &places[row * n + col]);
  }
  Symbol x(std::int64_t i) const { return Symbol::read(1, &places[n * n + i]); }
  // stored: sum of a(row, col) x(col)
  Symbol product(std::int64_t row) const {
    Symbol sum = 0;
    for (std::int64_t col = 0; col < n; ++col)
      sum += a(row, col) * x(col);
    return stored(sum);
  }
};

using Output = std::function<Symbol(const Inputs&, std::int64_t)>;

bool apart(const Output& output) {
  return learn_structure({4}, {6}, {8},
                         [&](const parlab::Size& size) {
                           const Inputs inputs{.n = size[0]};
                           Seen seen;
                           for (std::int64_t i = 0; i < inputs.n; ++i)
                             seen.add(output(inputs, i));
                           return seen;
                         })
      .apart;
}

// The sum of term(row) over all rows.
template <typename Term>
Symbol sum_of_rows(const Inputs& in, const Term& term) {
  Symbol sum = 0;
  for (std::int64_t row = 0; row < in.n; ++row)
    sum += term(row);
  return sum;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(apart_values)

BOOST_AUTO_TEST_CASE(a_product_with_its_own_matrix_is_apart_beside_squares) {
  const auto term = [](const Inputs& in, std::int64_t row, std::int64_t col) {
    return in.a(row, col) * in.product(row);
  };
  BOOST_TEST(apart([&](const Inputs& in, std::int64_t col) {
    return sum_of_rows(in, [&](std::int64_t row) {
      return with_square(term(in, row, col),
                         in.a(row, col) * in.a(row, col) * in.x(col));
    });
  }));
  BOOST_TEST(!apart([&](const Inputs& in, std::int64_t col) {
    return sum_of_rows(in,
                       [&](std::int64_t row) { return term(in, row, col); });
  }));
}

BOOST_AUTO_TEST_CASE(nothing_may_come_twice) {
  // an input of a stored value in another term
  BOOST_TEST(!apart([](const Inputs& in, std::int64_t col) {
    return sum_of_rows(in, [&](std::int64_t row) {
      const auto other = (row + 1) % in.n;
      return in.a(other, col) * in.product(row);
    });
  }));
  // a stored value in two terms
  BOOST_TEST(!apart([](const Inputs& in, std::int64_t i) {
    Symbol sum = 0;
    for (std::int64_t col = 0; col < in.n; ++col)
      sum += in.x(col);
    const Symbol once = stored(sum);
    return in.a(i, 0) * once + in.a(i, 1) * once;
  }));
  // an input in two terms
  BOOST_TEST(!apart([](const Inputs& in, std::int64_t) {
    return sum_of_rows(in, [&](std::int64_t row) {
      return in.x(0) * stored(in.a(row, 0) + in.a(row, 1));
    });
  }));
  // an input in two terms of the stored value
  BOOST_TEST(!apart([](const Inputs& in, std::int64_t) {
    return in.x(0) * stored(in.a(0, 0) + in.a(0, 1) * in.a(0, 0));
  }));
}

BOOST_AUTO_TEST_CASE(each_term_reads_an_input_and_none_is_stored_twice) {
  BOOST_TEST(!apart([](const Inputs& in, std::int64_t) {
    return sum_of_rows(in, [&](std::int64_t row) { return in.product(row); });
  }));
  BOOST_TEST(!apart([](const Inputs& in, std::int64_t i) {
    return in.x(i) * stored(in.a(i, 0) * stored(in.a(i, 1) + in.a(i, 2)));
  }));
  BOOST_TEST(apart([](const Inputs& in, std::int64_t i) {
    return in.x(i) * stored(in.a(i, 1) + in.a(i, 2));
  }));
}

BOOST_AUTO_TEST_SUITE_END()
