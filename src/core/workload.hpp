// A workload's contract: what it computes, on which arrays, and which results
// are right.
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

// integers: small integers, for which every order of summation is exact;
// results must be equal. uniform: random reals, compared within an a-priori
// bound. wide: only few products of each sum are not zero, operands fill the
// significand, and exponents lie far apart. Wide results are compared within
// the bound of those few roundings, which narrower arithmetic cannot keep. The
// other kinds are only for timing and are made from the uniform ones: see
// reference/timed_inputs.hpp.
PARLAB_ENUM(InputKind, "kind of inputs", (uniform, "uniform"),
            (integers, "integers"), (wide, "wide"), (zeros, "zeros"),
            (ones, "ones"), (whole, "whole"), (normal, "normal"),
            (spread, "spread"), (sparse, "sparse"))

inline Terms terms_of(InputKind kind) {
  return kind == InputKind::uniform || kind == InputKind::normal ? Terms::random
                                                                 : Terms::any;
}

// Whether samples may be taken on these inputs. Changes between executions must
// not break their structure. Dense arrays must have no zeros, unless the kind
// says so.
constexpr bool is_timed_on(InputKind kind) {
  return kind != InputKind::integers && kind != InputKind::wide;
}

// Whether elements may change sign without changing the kind of inputs.
constexpr bool takes_signs(InputKind kind) {
  return kind != InputKind::wide && kind != InputKind::ones;
}

// Outputs are filled with this byte before each checked execution. Elements
// that a workload must not write still hold it afterwards. All bits set is a
// NaN in every floating type, and -1 in int.
constexpr unsigned char poison_byte = 0xff;

struct Mismatch {
  std::string where;  // "y[17]"
  // expected: NaN where nothing may be written
  double expected = 0, found = 0, bound = 0;
};

// The largest errors of a result, element by element.
struct LargestError {
  // 1: the largest error that a sum in the result's own dtype (IEEE) may have
  // at that element
  double of_bound = 0;
  double of_rounding = 0;  // 1: the unit roundoff of the element itself
};

// Knows the right results for one set of inputs.
class Oracle {
 public:
  virtual ~Oracle() = default;
  // The first wrong element, or nothing. outputs: host copies of the output
  // arrays. An oracle that compares only a sample draws it now, from the
  // system's generator, so that variants cannot have known it. The inputs must
  // be unchanged since the oracle was made.
  virtual std::optional<Mismatch> check(const Arrays& outputs) const = 0;
  // For a result that check() accepted; nothing where equality was demanded, or
  // where it is not known.
  virtual std::optional<LargestError> largest_error(
      const Arrays& /*outputs*/) const {
    return std::nullopt;
  }
  // Whether it has computed all results when it is made, and does not read the
  // inputs afterwards.
  virtual bool has_all_results() const { return false; }
};

class Workload {
 public:
  virtual ~Workload() = default;
  virtual std::string_view name() const = 0;
  // "y = A x, A dense and row-major"
  virtual std::string_view summary() const = 0;
  // Names of all numbers of a Size: the extents, then the parameters.
  virtual std::vector<std::string_view> dimensions() const = 0;
  // The numbers of a problem that have a default, such as a filter's radius.
  // They are options of that name.
  virtual std::vector<Tunable> parameters() const { return {}; }
  // Completes the extents that the user typed (one number may stand for a
  // square). Throws UsageError.
  virtual Size complete(const std::vector<std::int64_t>& typed) const = 0;
  virtual std::vector<Dtype> dtypes() const = 0;
  // Whether changed signs would make inputs of another problem.
  virtual bool keeps_signs() const { return false; }
  virtual Work work(const Size& size, Dtype dtype) const = 0;
  virtual std::vector<ArraySpec> arrays(const Size& size,
                                        Dtype dtype) const = 0;
  // Fills those inputs that are present. The same arguments give the same
  // numbers everywhere.
  virtual void fill(const Arrays& inputs, const Size& size, Dtype dtype,
                    InputKind kind) const = 0;
  // arithmetic: that of the variant under test, for the bound.
  virtual std::unique_ptr<Oracle> oracle(const Arrays& inputs, const Size& size,
                                         Dtype dtype, InputKind kind,
                                         Arithmetic arithmetic) const = 0;
};

// How many of the numbers of a Size are extents; the others are parameters.
std::size_t count_extents(const Workload& workload);

// A whole Size from the typed extents. Parameters may follow them and otherwise
// have their defaults. Throws UsageError.
Size complete_size(const Workload& workload,
                   const std::vector<std::int64_t>& typed);

// The extents, followed by the parameters: "4096x4096", "512x512 radius=16". A
// parameter that is 0 unless it is given is named only then.
std::string size_text(const Workload& workload, const Size& size);

}  // namespace parlab
