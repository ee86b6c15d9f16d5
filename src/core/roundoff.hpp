// The constants of a-priori bounds for rounding errors. N. Higham, Accuracy and
// Stability of Numerical Algorithms, second edition, chapters 2 and 3.
#pragma once

#include <cstdint>

#include "core/types.hpp"

namespace parlab {

// The unit roundoff of IEEE arithmetic: 2^-24 for float, 2^-53 for double, 0
// for int. Half and bfloat16 also have 2^-24, because they are widened to
// float.
double unit_roundoff(Dtype dtype);

// gamma_n = n u / (1 - n u): Higham, (3.1).
double gamma(std::int64_t n, double unit_roundoff);

// How much is known about the terms of a sum. random: each term has a random
// sign, independent of the others. This holds for uniform inputs if each enters
// a sum only once.
enum class Terms { any, random };

// A sum of terms with random signs is at most this many times the root of the
// sum of their squares, except in one case of 2^40: 2 exp(-x^2 / 2). W.
// Hoeffding, Probability inequalities for sums of bounded random variables,
// 1963.
constexpr double most_deviations = 7.6;

// The rounding errors of a variant that adds up products x y. It replaces the
// operands by its own, so that a product errs by at most |x y| product. Each
// product is the sum of `parts` products of those operands. All of them are
// added up with unit roundoff `sum`.
struct Rounding {
  double product = 0, sum = 0;
  int parts = 1;
  // sums are rounded to nearest, so that their errors do not all go one way
  bool to_nearest = false;

  // |computed - exact| <= of_sum(n) times the sum of the magnitudes, for a sum
  // of n terms, or a chain of n roundings, in any order.
  double of_sum(std::int64_t n) const;
  // The same for a sum of n products.
  double of_products(std::int64_t n) const;
  // The same, but times the root of the sum of the squares of the products.
  double of_norm(std::int64_t n, Terms terms) const;
  // The same, but times the sum, for n squares of uniform numbers.
  double of_squares(std::int64_t n) const;
};
Rounding rounding(Dtype dtype, Arithmetic arithmetic);

}  // namespace parlab
