// The precision in which expected values of double are computed.
#pragma once

#include <cmath>
#include <limits>

namespace parlab::reference {

// A sum of two doubles, the second below the last place of the first. Compiled
// without contraction: a product that is fused with an addition is not the one
// whose error is computed here. Each operation errs by less than 2^-100 of the
// magnitudes of its operands. T. Dekker, A floating-point technique for
// extending the available precision, 1971.
struct Pair {
  double high, low;
  Pair() = default;
  Pair(double value) : high(value), low(0) {}
  explicit operator double() const { return high + low; }
  friend Pair operator+(Pair a, Pair b) {
    Pair sum;
    sum.high = a.high + b.high;
    const double added = sum.high - a.high;
    sum.low =
        (a.high - (sum.high - added)) + (b.high - added) + (a.low + b.low);
    return sum;
  }
  friend Pair operator-(Pair a) {
    a.high = -a.high, a.low = -a.low;
    return a;
  }
  friend Pair operator-(Pair a, Pair b) { return a + -b; }
  friend Pair operator*(Pair a, Pair b) {
    Pair product;
    product.high = a.high * b.high;
    product.low = std::fma(a.high, b.high, -product.high) +
                  (a.high * b.low + a.low * b.high);
    return product;
  }
  friend Pair operator*(Pair a, double b) {
    Pair product;
    product.high = a.high * b;
    product.low = std::fma(a.high, b, -product.high) + a.low * b;
    return product;
  }
  Pair& operator+=(Pair b) { return *this = *this + b; }
  friend Pair operator/(Pair a, Pair b) {
    const double first = a.high / b.high,
                 rest = static_cast<double>(a - Pair(first) * b) / b.high;
    return Pair(first) + Pair(rest);
  }
};

// F of a value in Wide, wrong by `of_function` times its magnitude at the most,
// where the rounding of x adds `of_argument` times that of x.
template <typename Wide>
struct Computed {
  Wide value;
  double of_function, of_argument;
};
template <typename F>
Computed<double> compute(double x) {
  return {F::of(x), 0x1p-51, 0};
}
template <typename F>
Computed<Pair> compute(Pair x) {
  using Real = long double;
  constexpr double unit = std::numeric_limits<Real>::epsilon();
  const Real y = F::of(static_cast<Real>(x.high) + static_cast<Real>(x.low));
  Pair value(static_cast<double>(y));
  if (std::isfinite(value.high))
    value.low = static_cast<double>(y - value.high);
  return {value, 4 * unit, unit};
}

}  // namespace parlab::reference
