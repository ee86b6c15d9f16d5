// The numbers that a reference loop computes with. The loop is written once,
// over a type N; with each of these types it says something else:
//
//   Rounded  the value, and what an error bound needs
//   Whole    the value, and whether whole numbers stay exact
//   Symbol   how the loop is built: reference/structure.hpp
// N is made of a constant (N sum = 0), of an element of an input (sum +=
// p.x[i]), by + - * / and by the functions of reference/functions.hpp. A loop
// says stored(value) of a number that every right computation finishes and uses
// again, as t = stored(a sum of a[k] * x[k]). It says with_square(term, part)
// of an input times a stored value in which that input was added up, as a[k] *
// t: the part a[k] * a[k] * x[k] has no random sign.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include <omp.h>

#include "core/dtype.hpp"
#include "core/roundoff.hpp"
#include "reference/functions.hpp"
#include "reference/loop_oracle.hpp"
#include "reference/pair.hpp"
#include "reference/parts.hpp"
#include "reference/progress.hpp"

namespace parlab::reference {

// An element of an input, of type T in memory, that the loop reads as an N.
template <typename T, typename N>
struct [[gnu::may_alias]] Element {
  using Type = T;  // in memory
  using Number = N;
  static constexpr Dtype dtype = dtype_of<T>();
  T stored;
  operator N() const { return N::read(static_cast<double>(stored), this); }
};

// An element that says where another one is: a whole number.
template <typename T, typename N>
std::int64_t index(const Element<T, N>& element) {
  static_assert(std::is_integral_v<T>,
                "index() of a real number: only integers are indices");
  return static_cast<std::int64_t>(element.stored);
}

// Results of T are judged by sums in Wide.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, Pair, double>;
template <typename Wide>
constexpr Rounding rounding_of_wide{
    .sum = std::is_same_v<Wide, Pair> ? 0x1p-100 : 0x1p-53, .to_nearest = true};

// The largest power of two that divides x; 1 for 0.
constexpr double grain_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto fraction = (bits & 0xfffffffffffffu) | std::uint64_t{1} << 52;
  const auto exponent = static_cast<std::int64_t>(bits >> 52 & 0x7ff) - 52 +
                        std::countr_zero(fraction);
  return x == 0 || exponent < 1
             ? 1
             : std::bit_cast<double>(static_cast<std::uint64_t>(exponent)
                                     << 52);
}

// Factors of error bounds: of the sum of the magnitudes of terms; of the root
// of the sum of their squares, where their signs are random; of a sum of
// squares.
enum class FactorOf { magnitudes, norm, squares };

// They depend on how many roundings a number has behind it: of the variant and
// of the reference together.
class Factors {
 public:
  // Computed when they are first asked for.
  static const Factors& of(const Rounding& variant, const Rounding& reference,
                           FactorOf what);
  double operator()(std::int64_t roundings) const {
    return factors_[place(roundings)];
  }

 private:
  Factors(const Rounding& variant, const Rounding& reference, FactorOf what);
  // Beyond 256 in steps of less than 1 %, rounded up.
  static std::size_t place(std::int64_t roundings) {
    if (roundings <= 256) return std::max<std::int64_t>(roundings, 0);
    const auto last = static_cast<std::uint64_t>(roundings - 1);
    const auto shift = std::bit_width(last) - 8;
    return static_cast<std::size_t>(128 * shift) + (last >> shift) + 1;
  }
  static constexpr std::size_t places = 257 + 128 * 40;
  double factors_[places];
};

// A number keeps the sum of the errors of stored values, and a floor that no
// right computation falls below, if it is not negative: a square plus a
// constant has a root, though errors may be larger than the square. Where the
// errors are independent and have mean zero, it keeps the sum of their squares,
// and the sum of the parts of its terms that are squares.
template <bool squares, bool carries, bool has_parts>
struct Kept {};
template <>
struct Kept<false, true, false> {
  double carried, floor;
  std::int64_t zeros;  // inputs that are added up
};
template <>
struct Kept<true, true, false> {
  double carried, square;
};
template <>
struct Kept<false, true, true> : Kept<false, true, false> {
  Parts parts;
};

// A value, and what bounds the errors of those that compute it in another
// order. Terms: how many numbers that are not zero are added up in it; each
// has been rounded `within` times. The spread is the sum of their magnitudes,
// or of their squares. carries: stored values keep the errors they have.
template <typename Wide, bool squares, bool carries, bool has_parts = false>
struct Rounded : Kept<squares, carries, has_parts>,
                 Functions<Rounded<Wide, squares, carries, has_parts>> {
  static constexpr Dtype dtype = Dtype::f64;
  static constexpr bool keeps_floor = carries && !squares;
  Wide value;
  double spread;
  std::int64_t terms;
  std::int64_t within;

  Rounded() = default;
  // A product with a power of two is exact.
  Rounded(double constant) : Rounded(read(constant, nullptr)) {
    within = grain_of(constant) == std::abs(constant) ? -1 : 0;
    if constexpr (has_parts) this->parts = {};
  }
  static Rounded read(double x, const void*) {
    Rounded made;
    made.value = x;
    made.spread = squares ? x * x : std::abs(x);
    made.terms = x != 0;
    made.within = 0;
    if constexpr (carries) made.carried = 0;
    if constexpr (carries && squares) made.square = 0;
    if constexpr (keeps_floor)
      made.floor = x >= 0 ? x : -unbounded, made.zeros = x == 0;
    if constexpr (has_parts) made.parts = {.inputs = x * x};
    return made;
  }

  double error() const {
    double whole = squares ? std::sqrt(spread) : spread;
    // A sum of two exact terms is rounded once.
    if constexpr (keeps_floor) {
      if (terms == 2 && within <= 0 && is_ieee)
        whole = std::abs(static_cast<double>(value)) + this->carried;
    }
    const auto roundings = within + terms - 1;
    const double factor = (*factors)(roundings);
    double error = factor * whole;
    if constexpr (has_parts) {
      const double by_parts = this->parts.bound(
          (*of_norm)(roundings), (*of_squares)(roundings), factor);
      error = std::min(error, by_parts);
    }
    if constexpr (carries && squares) {
      error +=
          std::min(std::sqrt(static_cast<double>(terms)), most_deviations) *
              std::sqrt(this->carried) +
          (*of_squares)(roundings) * this->square;
    } else if constexpr (carries) {
      error += this->carried;
    }
    return error;
  }
  // One product is rounded once, and so to the nearest T. Else the last term:
  // the expected value was rounded to double.
  template <typename T>
  Expected expected() const {
    const auto rounded = static_cast<double>(value);
    if (terms == 1 && within <= 1 && !carries && is_ieee)
      return {static_cast<double>(static_cast<T>(rounded)), 0};
    return {rounded, error() + std::abs(rounded) * 0x1p-53};
  }
  // An output that the loop reads again.
  static Rounded read_again(const Expected& output) {
    Rounded again = read(output.value, nullptr);
    if constexpr (carries) again.carry(output.value, output.bound);
    return again;
  }
  // Its value has this error.
  void carry(double stored, double error) {
    const double largest = std::abs(stored) + error;
    this->carried = squares ? error * error : error;
    spread = squares ? largest * largest : largest;
    if constexpr (squares) this->square = 0;
    if constexpr (keeps_floor) this->floor = -unbounded, this->zeros = 0;
    if constexpr (has_parts) this->parts = {.others = spread};
    terms = largest > 0;
    within = 0;
  }
  bool is_exact() const {
    return this->carried == 0 && terms <= 1 && within <= 0;
  }
  static double floor_of_sum(double a, double b) {
    return a >= 0 && b >= 0 ? a + b : -unbounded;
  }
  static double floor_of_product(const Rounded& a, const Rounded& b) {
    if (a.floor >= 0 && b.floor >= 0) return a.floor * b.floor;
    const bool is_square =
        &a == &b || (a.is_exact() && b.is_exact() &&
                     static_cast<double>(a.value - b.value) == 0);
    return is_square ? 0 : -unbounded;
  }

  [[noreturn]] static void unseen() {
    throw std::logic_error(
        "a loop calls functions that it does not call on small problems");
  }
  // A value whose argument's error makes it differ by so much, and that was
  // rounded itself. A device may flush it to 0 where it is not normal.
  static Rounded computed(Wide value, double error, int roundings,
                          double floor) {
    if constexpr (keeps_floor) {
      using T = std::conditional_t<std::is_same_v<Wide, Pair>, double, float>;
      constexpr double least = std::numeric_limits<T>::min(),
                       largest = std::numeric_limits<T>::max();
      const auto near = static_cast<double>(value);
      const bool in_range = std::abs(near) + error <= largest;
      Rounded made;
      made.value = value;
      made.carry(near, in_range ? error + least : unbounded);
      made.within = roundings;
      made.floor = floor >= 0 ? floor : -unbounded;
      return made;
    } else {
      unseen();
    }
  }
  template <typename F>
  Rounded through() const {
    if constexpr (keeps_floor) {
      // After a cancellation it may lie below its floor.
      const bool is_below = static_cast<double>(value) < this->floor;
      const Wide argument = is_below ? Wide(this->floor) : value;
      const auto x = static_cast<double>(argument);
      const auto [y, of_function, of_argument] = compute<F>(argument);
      const auto near = static_cast<double>(y);
      const double off = error() + of_argument * std::abs(x),
                   least = std::max(x - off, this->floor / 2);
      return computed(
          y, F::error(x, off, least, near) + of_function * std::abs(near),
          F::roundings, F::rises ? F::of(this->floor) : -unbounded);
    } else {
      unseen();
    }
  }
  friend Rounded operator/(const Rounded& a, const Rounded& b) {
    const Wide value = a.value / b.value;
    const double quotient = std::abs(static_cast<double>(value)),
                 off = b.error(),
                 least = std::abs(static_cast<double>(b.value)) - off;
    if constexpr (keeps_floor) {
      const double of_divisor = std::max(least, b.floor / 2);
      // A mean that is kept up to date is rounded at zeros, too.
      Rounded dividend = a;
      dividend.within += a.zeros;
      const double all_off = dividend.error() + quotient * off;
      return computed(value, of_divisor > 0 ? all_off / of_divisor : unbounded,
                      roundings_of_quotient,
                      a.floor >= 0 && b.floor >= 0 ? 0 : -unbounded);
    } else {
      unseen();
    }
  }
  // The larger value. It has the larger error if both may be the larger one.
  friend Rounded max(const Rounded& a, const Rounded& b) {
    const auto apart = static_cast<double>(a.value - b.value);
    const bool is_a = apart > 0;
    Rounded larger = is_a ? a : b;
    if constexpr (has_parts) larger.parts = {.others = larger.spread};
    if constexpr (keeps_floor) {
      larger.floor = std::max(a.floor, b.floor);
      const double off = (is_a ? b : a).error(), more = off - larger.error();
      if (more <= 0 || std::abs(apart) > off + larger.error()) return larger;
      larger.carried += more;  // also not a number
      larger.spread += more;
      if constexpr (has_parts) larger.parts.others += more;
      larger.terms = std::max<std::int64_t>(larger.terms, 1);
      return larger;
    } else {
      unseen();
    }
  }

  // The arithmetic of the variant that is judged. Loops run one at a time.
  static inline const Factors *factors = nullptr, *of_norm = nullptr,
                              *of_squares = nullptr;
  static inline bool is_ieee = true;

  friend Rounded operator+(const Rounded& a, const Rounded& b) {
    Rounded sum;
    sum.value = a.value + b.value;
    sum.spread = a.spread + b.spread;
    sum.terms = a.terms + b.terms;
    sum.within = std::max(a.within, b.within);
    if constexpr (carries) sum.carried = a.carried + b.carried;
    if constexpr (carries && squares) sum.square = a.square + b.square;
    if constexpr (keeps_floor)
      sum.floor = floor_of_sum(a.floor, b.floor), sum.zeros = a.zeros + b.zeros;
    if constexpr (has_parts)
      sum.parts = a.parts.as_terms(a.spread) + b.parts.as_terms(b.spread);
    return sum;
  }
  friend Rounded operator-(Rounded a) {
    a.value = -a.value;
    if constexpr (keeps_floor) a.floor = -unbounded;
    return a;
  }
  // Many inputs are 0 on purpose, and pairs are slow.
  friend Rounded operator*(const Rounded& a, const Rounded& b) {
    if (!carries && b.terms == 0) return b;
    Rounded product;
    product.value = a.value * b.value;
    product.spread = a.spread * b.spread;
    product.terms = (a.terms > 0) & (b.terms > 0);
    product.within = a.within + b.within + a.terms + b.terms - 1;
    if constexpr (carries)
      product.carried = a.carried * b.spread + a.spread * b.carried;
    if constexpr (carries && squares) product.square = 0;
    if constexpr (keeps_floor)
      product.floor = floor_of_product(a, b), product.zeros = 0;
    if constexpr (has_parts)
      product.parts = product_of(a.parts, b.parts, a.spread, b.spread,
                                 static_cast<double>(a.value - b.value) == 0);
    return product;
  }
  Rounded& operator+=(const Rounded& b) {
    if (!carries && b.terms == 0) return *this;
    return *this = *this + b;
  }

  friend Rounded stored(Rounded a) {
    if constexpr (carries) a.carry(static_cast<double>(a.value), a.error());
    return a;
  }
  friend Rounded with_square(Rounded term, const Rounded& part) {
    if constexpr (carries && squares)
      term.square = std::abs(static_cast<double>(part.value));
    return term;
  }
};

// A value of whole numbers and of constants, which are multiples of `grain`.
// most: the largest that a partial sum can be, in any order; for terms of
// random signs the sum of their squares.
template <bool squares>
struct Whole : Functions<Whole<squares>> {
  static constexpr Dtype dtype = Dtype::f64;
  double value, most, grain;

  Whole() = default;
  Whole(double of, double largest, double multiple_of)
      : value(of), most(largest), grain(multiple_of) {}
  Whole(double constant) : Whole(read(constant, nullptr)) {
    grain = grain_of(constant);
  }
  static Whole read(double x, const void*) {
    return {x, squares ? x * x : std::abs(x), 1};
  }
  // Whether every partial sum is among the numbers that have `exact` whole ones
  // on each side of 0; of random signs all but one in 1e26 are: Hoeffding's
  // inequality, as in core/roundoff.hpp.
  bool stays_exact() const {
    constexpr double random_deviations = 11;
    const double sum = squares ? random_deviations * std::sqrt(most) : most;
    return sum <= exact * grain;
  }
  template <typename T>
  Expected expected() const {
    const bool is_exact = std::is_integral_v<T> || stays_exact();
    return {value, is_exact ? 0 : unbounded};
  }
  static Whole read_again(const Expected& output) {
    Whole again(output.value);
    if (output.bound > 0) again.most = output.bound;
    return again;
  }

  // Nothing after it is exact.
  static Whole real(double value) {
    return {value, unbounded, grain_of(value)};
  }
  template <typename F>
  Whole through() const {
    return real(F::of(value));
  }
  friend Whole operator/(const Whole& a, const Whole& b) {
    return real(a.value / b.value);
  }
  // Numbers are finished before they are compared: no order of sums joins
  // their terms.
  friend Whole max(const Whole& a, const Whole& b) {
    const Whole x = stored(a), y = stored(b);
    return {std::max(x.value, y.value), std::max(x.most, y.most),
            std::min(x.grain, y.grain)};
  }

  // In the type that is judged. Loops run one at a time.
  static inline double exact = 0;

  friend Whole operator+(const Whole& a, const Whole& b) {
    return {a.value + b.value, a.most + b.most, std::min(a.grain, b.grain)};
  }
  friend Whole operator-(Whole a) {
    a.value = -a.value;
    return a;
  }
  friend Whole operator*(const Whole& a, const Whole& b) {
    return {a.value * b.value, a.most * b.most, a.grain * b.grain};
  }
  Whole& operator+=(const Whole& b) { return *this = *this + b; }

  // If it is exact, counting starts again; if not, nothing after it is exact.
  friend Whole stored(const Whole& a) {
    return a.stays_exact() ? Whole(a.value) : real(a.value);
  }
  friend Whole with_square(const Whole& term, const Whole&) { return term; }
};

// An element of an output, of type T in memory, to which a loop assigns an N.
template <typename T, typename N>
class Cell {
 public:
  static constexpr Dtype dtype = dtype_of<T>();
  Cell& operator=(const N& number) {
    expected_ = number.template expected<T>();
    return *this;
  }
  operator N() const { return N::read_again(expected_); }
  Cell& operator+=(const N& number) { return *this = N(*this) + number; }

 private:
  Expected expected_;
};

// term(0) + ... + term(n - 1), on all cores where it is long and nobody else
// works on the problem.
template <typename N, typename Term>
N sum_of(std::int64_t n, const Term& term) {
  constexpr int lanes = 4;
  const auto strip = [&](std::int64_t begin, std::int64_t end) {
    N part[lanes] = {0, 0, 0, 0};
    std::int64_t i = begin;
    for (; i + lanes <= end; i += lanes) {
      for (int lane = 0; lane < lanes; ++lane)
        part[lane] += term(i + lane);
    }
    for (; i < end; ++i)
      part[0] += term(i);
    return (part[0] + part[1]) + (part[2] + part[3]);
  };
  if (omp_in_parallel()) return strip(0, n);
  N sum = 0;
  const auto add = [&](std::int64_t begin, std::int64_t end) {
    const N part = strip(begin, end);
#pragma omp critical(parlab_reference_sum)
    sum += part;
  };
  each_strip(0, n, add, 1 << 16);
  return sum;
}

}  // namespace parlab::reference
