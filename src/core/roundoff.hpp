// What rounding costs: the constants of a-priori error bounds.
// N. Higham, Accuracy and Stability of Numerical Algorithms, second
// edition, chapters 2 and 3.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/types.hpp"

namespace parlab {

// Of IEEE arithmetic: 2^-24 for float, 2^-53 for double, 0 for int; 2^-24
// for half and bfloat16 too, which are widened to float.
double unit_roundoff(Dtype dtype);

// The unit roundoff of a reference that computes in Wide.
template <typename Wide>
constexpr double wide_roundoff =
    std::is_same_v<Wide, long double> ? 0x1p-64 : 0x1p-53;

// gamma_n = n u / (1 - n u): Higham, (3.1).
double gamma(std::int64_t n, double unit_roundoff);

// The terms of a sum, as far as they are known. random: each has one sign or
// the other by chance, whatever the others have; so it is with uniform inputs,
// of which one goes into a sum once.
enum class Terms { any, random };

// A sum of terms of random signs is at most so many times the root of the sum
// of their squares, but for one case of 2^40: 2 exp(-x^2 / 2). W. Hoeffding,
// Probability inequalities for sums of bounded random variables, 1963.
constexpr double most_deviations = 7.6;

// How a variant may err that adds up products x y: it multiplies operands
// of its own, so that a product differs by at most |x y| product; each
// is the sum of `parts` products of theirs; and all of these are added
// up with unit roundoff `sum`.
struct Rounding {
  double product = 0, sum = 0;
  int parts = 1;
  bool to_nearest = false;  // the sums: their roundings do not all go one way

  // |computed - exact| <= of_sum(n) times the sum of the magnitudes, for a sum
  // of n terms, or a chain of n roundings, in any order.
  double of_sum(std::int64_t n) const;
  // The same for a sum of n products.
  double of_products(std::int64_t n) const;
  // The same, times the root of the sum of the squares of the products.
  double of_norm(std::int64_t n, Terms terms) const;
  // The same times the sum, of n squares of uniform numbers.
  double of_squares(std::int64_t n) const;
  // When the n terms of a sum are such sums themselves: the share of their
  // errors in its error, times the root of the sum of the squares of theirs.
  double carried(std::int64_t n, Terms terms) const;
};
Rounding rounding(Dtype dtype, Arithmetic arithmetic);

// The rounding of a reference that computes in Wide.
template <typename Wide>
constexpr Rounding reference_rounding{.sum = wide_roundoff<Wide>,
                                      .to_nearest = true};

}  // namespace parlab
