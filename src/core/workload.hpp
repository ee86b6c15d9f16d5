// A workload's contract: what is computed, on which arrays, and
// when a result is right.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/arrays.hpp"
#include "core/roundoff.hpp"
#include "core/types.hpp"

namespace parlab {

// Integers: small whole numbers, every order of summation is
// exact, equality is demanded.
// Uniform: random reals, compared within an a-priori bound.
// Wide: few products of each sum are not zero, operands fill the significand,
// exponents lie far apart; compared within the bound of so few roundings,
// which nothing narrower can keep.
// The others are there to be timed, and are made of the uniform ones: see
// reference/timed_inputs.hpp.
PARLAB_ENUM(InputKind, "kind of inputs", (uniform, "uniform"),
            (integers, "integers"), (wide, "wide"), (zeros, "zeros"),
            (ones, "ones"), (whole, "whole"), (normal, "normal"),
            (spread, "spread"), (sparse, "sparse"))

inline Terms terms_of(InputKind kind) {
  return kind == InputKind::uniform || kind == InputKind::normal ? Terms::random
                                                                 : Terms::any;
}

// Whether samples may be taken on them: these have no structure that changes
// between executions would break, and no zeros in dense arrays but where they
// say so.
constexpr bool is_timed_on(InputKind kind) {
  return kind != InputKind::integers && kind != InputKind::wide;
}

// Elements may take the other sign, and the inputs stay of their kind.
constexpr bool takes_signs(InputKind kind) {
  return kind != InputKind::wide && kind != InputKind::ones;
}

// Outputs are filled with this before each checked execution; elements
// that a workload does not write still hold it afterwards. All bits set is
// a NaN in every floating type, and -1 in int.
constexpr unsigned char poison_byte = 0xff;

struct Mismatch {
  std::string where;  // "y[17]"
  // expected: NaN where nothing may be written
  double expected = 0, found = 0, bound = 0;
};
std::string to_string(const Mismatch& mismatch);

// Knows the right answer for one set of inputs.
class Oracle {
 public:
  virtual ~Oracle() = default;
  // The first wrong element, or nothing. outputs: host copies of the output
  // arrays. Where it compares a sample, it draws it now, from the system's
  // generator: nobody could know it when they were computed. The inputs are
  // still there, as the oracle was made of them.
  virtual std::optional<Mismatch> check(const Arrays& outputs) const = 0;
};

class Workload {
 public:
  virtual ~Workload() = default;
  virtual std::string_view name() const = 0;
  // "y = A x, A dense and row-major"
  virtual std::string_view summary() const = 0;
  // Names of all numbers of a Size: the extents, then the parameters.
  virtual std::vector<std::string_view> dimensions() const = 0;
  // The numbers of a problem that have a default, a filter's radius;
  // options of these names.
  virtual std::vector<Tunable> parameters() const { return {}; }
  // Completes the extents the user typed (one number may stand for a
  // square); throws UsageError.
  virtual Size complete(const std::vector<std::int64_t>& typed) const = 0;
  virtual std::vector<Dtype> dtypes() const = 0;
  virtual Work work(const Size& size, Dtype dtype) const = 0;
  virtual std::vector<ArraySpec> arrays(const Size& size,
                                        Dtype dtype) const = 0;
  // Fills the inputs that are present. The same arguments give the
  // same numbers everywhere.
  virtual void fill(const Arrays& inputs, const Size& size, Dtype dtype,
                    InputKind kind) const = 0;
  // arithmetic: of the variant to be judged, for the bound.
  virtual std::unique_ptr<Oracle> oracle(const Arrays& inputs, const Size& size,
                                         Dtype dtype, InputKind kind,
                                         Arithmetic arithmetic) const = 0;
};

// How many of the numbers of a Size are extents; the parameters follow them.
std::size_t count_extents(const Workload& workload);

// A whole Size from extents as typed; parameters may follow them, and have
// their default otherwise. Throws UsageError.
Size complete_size(const Workload& workload,
                   const std::vector<std::int64_t>& typed);

// The extents, and behind them the parameters that have not their default:
// "4096x4096", "512x512 radius=8".
std::string size_text(const Workload& workload, const Size& size);

// Element-by-element oracle for one output array:
// |found - expected| <= bound, NaN fails.
class ElementwiseOracle : public Oracle {
 public:
  // One expected value and one bound per element; a bound of
  // zero demands equality.
  ElementwiseOracle(std::string array, std::vector<double> expected,
                    std::vector<double> bound);
  std::optional<Mismatch> check(const Arrays& outputs) const override;

 private:
  std::string array_;
  std::vector<double> expected_, bound_;
};

}  // namespace parlab
