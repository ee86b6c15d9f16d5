#include "core/roundoff.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace parlab {
namespace {

// A tensor core may truncate where IEEE arithmetic rounds to nearest, both in
// operands and in the float sum. Twice the unit roundoff covers both.
constexpr double tensor_sum = 0x1p-23;
// The magnitudes of the products of parts add up to at most this many times the
// magnitude of the product.
constexpr double of_parts = 1.05;

// gamma_n with sqrt(n) in place of n. Take a product of n factors 1 + d whose
// |d| <= u are independent with mean zero. It differs from 1 by more than this
// with a probability of at most 2 exp(-lambda^2 (1 - u)^2 / 2). N. Higham and
// T. Mary, A new approach to probabilistic rounding error analysis, SIAM J.
// Sci. Comput. 41, 2019, theorem 2.4. Each product of a sum has such a factor.
// With lambda = 11 the probability is 1.1e-26 for each. A check has fewer than
// 2^56 of them, so that together they fail with a probability below 1e-9.
double probable_gamma(std::int64_t n, double u) {
  constexpr double lambda = 11;
  const double terms = static_cast<double>(n);
  return std::expm1(lambda * std::sqrt(terms) * u + terms * u * u / (1 - u));
}

// Let s_k be the partial sums of a sum of n terms t with random signs. The root
// of the sum of all s_k^2 is at most this constant times sqrt(n) |t|_2, except
// in one case of 2^40. The sum of squares is a quadratic form in the signs with
// a trace of at most n |t|^2 / 2, because even in a chain, whose partial sums
// have the most terms, they have n / 2 terms on average. With the trace as a
// bound of its norms, the form is below trace (1 + 2 sqrt(x) + 2 x), except
// with a probability of exp(-x). D. Hsu, S. Kakade and T. Zhang, A tail
// inequality for quadratic forms of subgaussian random vectors, 2012.
constexpr double partial_sums = 5.8;

// `cut`: the relative error of an operand that is rounded to the type.
constexpr Rounding rounded(double cut) {
  return {2 * cut + cut * cut, tensor_sum};
}
// An operand in two parts has a relative error of cut^2. Leaving out the
// product of the two small parts costs as much again.
constexpr Rounding in_two_parts(double cut) {
  return {3 * cut * cut + cut * cut * cut * cut, of_parts * tensor_sum, 3};
}

}  // namespace

double unit_roundoff(Dtype dtype) {
  return dispatch_all(dtype, []<typename T>(T) {
    return std::is_integral_v<T>       ? 0
           : std::is_same_v<T, double> ? 0x1p-53
                                       : 0x1p-24;
  });
}

double gamma(std::int64_t n, double u) {
  const double nu = static_cast<double>(n) * u;
  if (nu >= 1)
    throw std::domain_error(
        "no a-priori bound: n * unit roundoff is 1 or more");
  return nu / (1 - nu);
}

double Rounding::of_sum(std::int64_t n) const {
  // (1 + u)^n - 1 is smaller than this for every n.
  const double always = std::expm1(static_cast<double>(n) * sum);
  return to_nearest ? std::min(always, probable_gamma(n, sum)) : always;
}

double Rounding::of_products(std::int64_t n) const {
  return product + (1 + product) * of_sum(parts * n);
}

// The error of a sum is the sum of d_k s_k over its partial sums, with |d_k| <=
// u. Roundings to nearest have mean zero, given the earlier ones. So they form
// a martingale, which deviates like a sum of random signs (Azuma, 1967). Other
// roundings may all have one direction, so the bound is that of Cauchy and
// Schwarz. The last factor accounts for the errors of the partial sums
// themselves. I. Ipsen and H. Zhou, Probabilistic error analysis for inner
// products, 2020; N. Higham and T. Mary, Sharper probabilistic backward error
// analysis for basic linear algebra kernels with random data, 2020; E. Hallman
// and I. Ipsen, Precision-aware deterministic and probabilistic error bounds
// for floating point summation, 2023. The bound holds for every order of
// summation that does not depend on the data. Real errors are far smaller: a
// chain of 10^8 floats reaches a hundredth of it.
//
// The sign of a product does not change how its operands are rounded.
double Rounding::of_norm(std::int64_t n, Terms terms) const {
  const double root = std::sqrt(static_cast<double>(n)),
               roundings = static_cast<double>(parts) * static_cast<double>(n);
  if (terms == Terms::any) return root * of_products(n);
  const double together = to_nearest ? most_deviations : std::sqrt(roundings);
  const double sums = partial_sums * std::sqrt(roundings) * together * sum;
  const double random =
      most_deviations * product + (1 + product) * sums * (1 + sums);
  return roundings * sum < 0.5 ? std::min(random, root * of_products(n))
                               : random;
}

// A sum of squares only grows. In any order that does not depend on the data, a
// chain has the largest partial sums: about k / n of the sum after k terms. The
// root of the sum of their squares is sqrt(n / 3) of it; sqrt(n) more under the
// root for what single sums differ. Their roundings have mean zero as long as
// the squares lie densely on both sides of half a unit in the last place of the
// sum; smaller squares are lost in a chain. Squares of uniform numbers become
// rarer the larger they are. So roundings up and down alternate as the terms of
// a falling series, and lose no more than the squares below half a unit do: h^3
// / 3 for all whose root is below h. That half unit is h^2 = u k / 3 after k
// terms, and the sum over k is the last term. The worst case for every n: C.-P.
// Jeannerod and S. Rump, Improved error bounds for inner products, 2013.
double Rounding::of_squares(std::int64_t n) const {
  const double terms = static_cast<double>(parts) * static_cast<double>(n),
               always = terms * sum;
  const double random = most_deviations *
                        std::sqrt(terms / 3 + std::sqrt(terms)) * sum *
                        (1 + always),
               lost = 0.4 * std::pow(always / 3, 1.5);
  const double sums = to_nearest ? std::min(always, random + lost) : always;
  return product + (1 + product) * sums;
}

Rounding rounding(Dtype dtype, Arithmetic arithmetic) {
  constexpr double of_tf32 = 0x1p-10, of_half = 0x1p-10, of_bfloat16 = 0x1p-7;
  switch (arithmetic) {
    case Arithmetic::ieee:
    case Arithmetic::residues:
      // Products of narrow operands are exact in float, but tensor cores may
      // add them up.
      if (dtype == Dtype::f16 || dtype == Dtype::bf16) return {0, tensor_sum};
      return {.sum = unit_roundoff(dtype), .to_nearest = true};
    case Arithmetic::tf32:
      return rounded(of_tf32);
    case Arithmetic::bf16:
      return rounded(of_bfloat16);
    case Arithmetic::fp16:
      return rounded(of_half);
    case Arithmetic::tf32x3:
      return in_two_parts(of_tf32);
    case Arithmetic::bf16x3:
      return in_two_parts(of_bfloat16);
    case Arithmetic::fp16x3:
      return in_two_parts(of_half);
    case Arithmetic::bf16x6:
      // Three parts hold a whole float. Two products of the smallest part with
      // the middle one are left out, and the smallest part's square.
      return {2 * 0x1p-21 + 0x1p-28, of_parts * tensor_sum, 6};
    case Arithmetic::bf16x9:
      return {0, of_parts * tensor_sum, 9};
  }
  throw std::logic_error("an arithmetic without an error bound: " +
                         std::string(to_string(arithmetic)));
}

}  // namespace parlab
