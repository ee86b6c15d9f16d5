// The functions that a reference loop may call beside + - and *: x / y, exp,
// log, sqrt, tanh, abs, max and min. Their arguments are known with errors, and
// so are their results. The bounds hold for every right way to compute them: a
// quotient may be a product with a reciprocal, a root one with rsqrt. Libraries
// err by two units in the last place at the most, beyond half a unit, and a
// unit is two roundings. NVIDIA, CUDA C++ Programming Guide, Mathematical
// Functions: 2 of expf, tanhf and rsqrtf, 1 of logf and of these for double.
// GNU C Library Manual, Known Maximum Errors in Math Functions: 2 of tanh and
// tanhf, 1 of the others on x86-64.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace parlab::reference {

constexpr int roundings_of_quotient = 2, roundings_of_function = 5;
constexpr double unbounded = std::numeric_limits<double>::infinity();

// of(x): its value. error(x, off, least, y): the most that f(z) differs from
// y = f(x) for all z >= least with |z - x| <= off; unbounded where a z has no
// value. All rise with x.
struct Exp {
  template <typename Real>
  static Real of(Real x) {
    return std::exp(x);
  }
  static double error(double x, double off, double, double y) {
    return off < 1 ? y * std::expm1(off) : std::exp(x + off);
  }
};
struct Log {
  template <typename Real>
  static Real of(Real x) {
    return std::log(x);
  }
  static double error(double x, double off, double least, double) {
    if (least <= 0) return unbounded;
    return std::max(std::log1p((x - least) / least), std::log1p(off / x));
  }
};
struct Sqrt {
  template <typename Real>
  static Real of(Real x) {
    return std::sqrt(x);
  }
  static double error(double x, double off, double least, double y) {
    if (x == 0 && off == 0) return 0;
    if (least < 0) return unbounded;
    return std::max((x - least) / (y + std::sqrt(least)),
                    off / (y + std::sqrt(x + off)));
  }
};
struct Tanh {
  template <typename Real>
  static Real of(Real x) {
    return std::tanh(x);
  }
  // Its slope is the largest where z is the closest to 0.
  static double error(double x, double off, double, double) {
    const double slope = 1 / std::cosh(std::fmax(std::abs(x) - off, 0));
    return off * slope * slope;
  }
};

// Derives the other operators and functions of a type N of numbers from its
// + - * /, max and through<F>().
template <typename N>
struct Functions {
  friend N operator-(const N& a, const N& b) { return a + -b; }
  friend N& operator-=(N& a, const N& b) { return a = a - b; }
  friend N& operator*=(N& a, const N& b) { return a = a * b; }
  friend N& operator/=(N& a, const N& b) { return a = a / b; }
  friend N exp(const N& x) { return x.template through<Exp>(); }
  friend N log(const N& x) { return x.template through<Log>(); }
  friend N sqrt(const N& x) { return x.template through<Sqrt>(); }
  friend N tanh(const N& x) { return x.template through<Tanh>(); }
  friend N min(const N& a, const N& b) { return -max(-a, -b); }
  friend N abs(const N& a) { return max(a, -a); }
};

}  // namespace parlab::reference
