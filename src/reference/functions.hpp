// The functions that a reference loop may call beside + - and *: x / y, exp,
// log, sqrt, tanh, sin, cos, erf, pow, abs, max and min. Their arguments are
// known with errors, and so are their results. The bounds hold for every right
// way to compute them: a quotient may be a product with a reciprocal, a root
// one with rsqrt. Libraries err by two units in the last place at the most,
// beyond half a unit, and a unit is two roundings. NVIDIA, CUDA C++ Programming
// Guide, Mathematical Functions: 4 of powf, 2 of expf, tanhf, rsqrtf and all of
// sin, cos and erf, 1 of logf and of the others for double. GNU C Library
// Manual, Known Maximum Errors in Math Functions: 2 of tanh and tanhf, 1 of the
// others on x86-64.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace parlab::reference {

constexpr int roundings_of_quotient = 2;
constexpr double unbounded = std::numeric_limits<double>::infinity();

// of(x): its value. error(x, off, least, y): the most that f(z) differs from
// y = f(x) for all z >= least with |z - x| <= off; unbounded where a z has no
// value. rises: with x. roundings: of its result.
struct Function {
  static constexpr bool rises = true;
  static constexpr int roundings = 5;
};
struct Exp : Function {
  template <typename Real>
  static Real of(Real x) {
    return std::exp(x);
  }
  static double error(double x, double off, double, double y) {
    return off < 1 ? y * std::expm1(off) : std::exp(x + off);
  }
};
struct Log : Function {
  template <typename Real>
  static Real of(Real x) {
    return std::log(x);
  }
  static double error(double x, double off, double least, double) {
    if (least <= 0) return unbounded;
    return std::max(std::log1p((x - least) / least), std::log1p(off / x));
  }
};
struct Sqrt : Function {
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
struct Tanh : Function {
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

struct Erf : Function {
  template <typename Real>
  static Real of(Real x) {
    return std::erf(x);
  }
  static double error(double x, double off, double, double) {
    const double nearest = std::fmax(std::abs(x) - off, 0);
    return off * 2 * std::numbers::inv_sqrtpi * std::exp(-nearest * nearest);
  }
};
// sin z - sin x = 2 cos((x + z) / 2) sin((z - x) / 2), and alike for the
// cosine.
struct Wave : Function {
  static constexpr bool rises = false;

 protected:
  static double most(double slope, double off) {
    return 2 * std::sin(std::fmin(off, std::numbers::pi) / 2) *
           std::fmin(std::abs(slope) + off / 2, 1);
  }
};
struct Sin : Wave {
  template <typename Real>
  static Real of(Real x) {
    return std::sin(x);
  }
  static double error(double x, double off, double, double) {
    return most(std::cos(x), off);
  }
};
struct Cos : Wave {
  template <typename Real>
  static Real of(Real x) {
    return std::cos(x);
  }
  static double error(double x, double off, double, double) {
    return most(std::sin(x), off);
  }
};
// The last step of x^y as exp(y log x).
struct Power : Exp {
  static constexpr int roundings = 9;
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
  friend N sin(const N& x) { return x.template through<Sin>(); }
  friend N cos(const N& x) { return x.template through<Cos>(); }
  friend N erf(const N& x) { return x.template through<Erf>(); }
  // of x > 0
  friend N pow(const N& x, const N& y) {
    return (y * log(x)).template through<Power>();
  }
  friend N min(const N& a, const N& b) { return -max(-a, -b); }
  friend N abs(const N& a) { return max(a, -a); }
};

}  // namespace parlab::reference
