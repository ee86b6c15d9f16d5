// How a reference loop is built, learnt by running it on problems of a few
// elements: what its error bound, its whole numbers and its wide inputs need to
// know before the loop has run on the problem itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "core/types.hpp"
#include "reference/number.hpp"

namespace parlab::reference {

// How many terms a number has.
struct Counted : Functions<Counted> {
  static constexpr Dtype dtype = Dtype::f64;
  double terms = 0;
  // the sum of the magnitudes of the terms, where the inputs are 1
  double most = 0;
  double grain = 1;  // of whole inputs it is a multiple of this

  Counted() = default;
  Counted(double of_terms, double largest, double multiple_of)
      : terms(of_terms), most(largest), grain(multiple_of) {}
  Counted(double constant)
      : Counted(constant != 0, std::abs(constant), grain_of(constant)) {}
  static Counted read(double, const void*) { return Counted(1); }
  // The terms, and the most in units of the grain.
  template <typename T>
  Expected expected() const {
    return {terms, most / grain};
  }
  static Counted read_again(const Expected& output) {
    return {output.value, output.bound, 1};
  }

  friend Counted operator+(const Counted& a, const Counted& b) {
    return {a.terms + b.terms, a.most + b.most, std::min(a.grain, b.grain)};
  }
  friend Counted operator*(const Counted& a, const Counted& b) {
    return {a.terms * b.terms, a.most * b.most, a.grain * b.grain};
  }
  friend Counted operator-(const Counted& a) { return a; }
  Counted& operator+=(const Counted& b) { return *this = *this + b; }
  template <typename F>
  Counted through() const {
    return 1;
  }
  friend Counted operator/(const Counted&, const Counted&) { return 1; }
  friend Counted max(const Counted& a, const Counted& b) {
    return {std::max(a.terms, b.terms), std::max(a.most, b.most),
            std::min(a.grain, b.grain)};
  }
  friend Counted stored(const Counted& a) { return a; }
  friend Counted with_square(const Counted& term, const Counted& /*part*/) {
    return term;
  }
};

// The inputs that a number was made of, and how.
struct Symbol : Functions<Symbol> {
  static constexpr Dtype dtype = Dtype::f64;
  std::vector<const void*> inputs = {};  // sorted
  bool once = true;                      // each of them in one term only
  int degree = 0;                        // the most inputs that are multiplied
  Counted count = {};
  // The inputs and stored values that it reads itself, each in one term, and
  // the inputs that these stored values were made of: none of them is an input
  // of another term (apart), or of the same one (squares). Every term reads an
  // input (reads).
  std::vector<const void*> own = {}, behind = {};
  bool apart = true, squares = false, reads = true;
  bool alone = true;  // no input that it reads itself is in two terms

  Symbol() = default;
  Symbol(double constant) : count(constant) {}
  static Symbol read(double x, const void* input);

  friend Symbol operator+(const Symbol& a, const Symbol& b);
  friend Symbol operator*(const Symbol& a, const Symbol& b);
  friend Symbol operator-(const Symbol& a) { return a; }
  Symbol& operator+=(const Symbol& b) { return *this = *this + b; }
  template <typename F>
  Symbol through() const {
    return computed(*this, 1, true);
  }
  friend Symbol operator/(const Symbol& a, const Symbol& b) {
    return computed(a, b, true);
  }
  friend Symbol max(const Symbol& a, const Symbol& b) {
    return computed(a, b, false);
  }
  // It has any sign, and is real or as whole as these.
  static Symbol computed(const Symbol& a, const Symbol& b, bool is_real);
  friend Symbol stored(const Symbol& a);
  friend Symbol with_square(Symbol term, const Symbol& /*part*/) {
    term.squares = false;
    return term;
  }
};

// An element of an output: it is stored where the loop reads it again.
template <typename T>
class Cell<T, Symbol> {
 public:
  static constexpr Dtype dtype = dtype_of<T>();
  Cell& operator=(const Symbol& symbol) {
    symbol_ = symbol;
    return *this;
  }
  operator Symbol() const { return stored(symbol_); }
  Cell& operator+=(const Symbol& symbol) {
    return *this = Symbol(*this) + symbol;
  }
  const Symbol& symbol() const { return symbol_; }

 private:
  Symbol symbol_;
};

// A number that is linear in each extent, known at a few sizes and computed for
// all. It is an estimate if the dependence is another one.
class ByExtents {
 public:
  // values: at all corners between low and high; bit i of the place says which
  // of the two the i-th extent has.
  ByExtents(Size low, const Size& high, std::vector<double> values);
  // The same at all sizes.
  ByExtents(double value) : coefficients_{value} {}
  double operator()(const Size& size) const;

 private:
  Size low_;
  std::vector<double> coefficients_;
};

// The outputs of a run, and what was stored on the way.
class Seen {
 public:
  void add(const Symbol& symbol);
  void add(const Counted& count);

  bool once = true, apart = true, alone = true;
  int degree = 0;
  double terms = 1, most = 1, finest = 0;  // finest: -log2(grain)
  bool stores = false, is_real = false;
  std::deque<char> names = {};  // their addresses stand for stored values
};

struct Structure {
  // Every input is in one term of an output, and nothing is stored on the way:
  // with inputs of random signs the terms have random signs.
  bool once;
  bool stores;
  // A quotient or a function is not whole.
  bool is_real;
  // Stored values are made of inputs alone, each input in one term; and each is
  // in one term of an output, beside an input that is in no other. Their errors
  // are independent, and what is not with_square() has a random sign.
  bool apart;
  // No sum reads an input in two of its terms.
  bool alone;
  int degree;
  ByExtents terms_of_outputs, terms_of_stored, most, finest;
  ByExtents rows;  // of its passes; below 0: not known

  // The most terms of a sum.
  double terms(const Size& size) const {
    return std::max(terms_of_outputs(size), terms_of_stored(size));
  }

  // Whether whole inputs give whole results, or only the loop can tell.
  bool may_be_exact(const Size& size, double exact) const {
    return !is_real && (stores || largest_sum(size) <= exact);
  }
  // So long that the bound of terms of random signs is the smaller one.
  bool has_long_sums(const Size& size) const { return terms(size) > 48; }
  // The count on the problem itself replaces the one that was learnt.
  void count_is(const Counted& count);
  // The largest sum if all inputs are 1, in units of the smallest constant.
  double largest_sum(const Size& size) const;
  // The largest whole numbers, up to `most_wanted`, for which no partial sum
  // leaves [-exact, exact]; 1 where none are.
  std::int64_t largest_whole(const Size& size, double exact,
                             std::int64_t most_wanted) const;
};

// run: of the loop on a problem of that size. between: a size in the middle of
// the extents' ranges, which shows whether the rows grow as on a straight line.
Structure learn_structure(const Size& low, const Size& between,
                          const Size& high,
                          const std::function<Seen(const Size&)>& run);

}  // namespace parlab::reference
