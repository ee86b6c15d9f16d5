// The terms of a number by what is known about their signs, where inputs are
// random. A partial sum is a partial sum of each sort, and so the bound of the
// roundings is the sum of three bounds. No sum may read an input twice.
#pragma once

#include <cmath>

namespace parlab::reference {

struct Parts {
  // Inputs and multiples of them have random signs: the sum of their squares.
  double inputs = 0;
  // Squares of sums whose inputs outweigh the rest. They are as dense as
  // squares of inputs, which core/roundoff.cpp needs: their sum.
  double squares = 0;
  // Nothing is known of others: the sum of their magnitudes.
  double others = 0;

  // A constant belongs to no sort until it is a term. A zero never does.
  bool is_constant() const { return inputs + squares + others == 0; }
  // spread: the magnitude of a constant
  Parts as_terms(double spread) const {
    return is_constant() ? Parts{.others = spread} : *this;
  }
  bool inputs_outweigh() const {
    return squares == 0 && inputs >= others * others;
  }
  friend Parts operator+(const Parts& a, const Parts& b) {
    return {a.inputs + b.inputs, a.squares + b.squares, a.others + b.others};
  }
  Parts times(double constant) const {
    return {inputs * constant * constant, squares * constant,
            others * constant};
  }
  // f: what the bound of each sort is multiplied by
  double bound(double f_inputs, double f_squares, double f_others) const {
    return f_inputs * std::sqrt(inputs) + f_squares * squares +
           f_others * others;
  }
};

// spread: of each factor
inline Parts product_of(const Parts& a, const Parts& b, double spread_a,
                        double spread_b, bool are_equal) {
  if (a.is_constant()) return b.times(spread_a);
  if (b.is_constant()) return a.times(spread_b);
  if (are_equal && a.inputs_outweigh()) return {.squares = spread_a * spread_b};
  return {.others = spread_a * spread_b};
}

}  // namespace parlab::reference
