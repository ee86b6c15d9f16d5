// Derives sizes, arrays, work and inputs from a declaration.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/variant.hpp"
#include "core/workload.hpp"
#include "reference/declaration.hpp"
#include "reference/loop_oracle.hpp"
#include "reference/structure.hpp"

namespace parlab::reference {

class DeclaredWorkload : public Workload {
 public:
  DeclaredWorkload(Declaration declaration, std::vector<Dtype> dtypes)
      : declared_(std::move(declaration)), dtypes_(std::move(dtypes)) {}

  std::string_view name() const final { return declared_.name; }
  std::string_view summary() const final { return declared_.summary; }
  std::vector<std::string_view> dimensions() const final;
  std::vector<Tunable> parameters() const final { return declared_.parameters; }
  Size complete(const std::vector<std::int64_t>& typed) const final;
  std::vector<Dtype> dtypes() const final { return dtypes_; }
  bool keeps_signs() const final { return declared_.keeps_signs; }
  Work work(const Size& size, Dtype dtype) const final;
  std::vector<ArraySpec> arrays(const Size& size, Dtype dtype) const final;
  void fill(const Arrays& inputs, const Size& size, Dtype dtype,
            InputKind kind) const final;

 protected:
  // Runs the loop on symbols; without a loop it is as declared.
  virtual Seen see(const Arrays& inputs, const Size& size, Dtype dtype) const;
  // Runs it on counts: the largest of an output.
  virtual Counted count(const Arrays& inputs, const Size& size,
                        Dtype dtype) const;
  const Structure& structure(const Arrays& inputs, const Size& size,
                             Dtype dtype) const;
  std::vector<ArraySpec> outputs_of(const Size& size, Dtype dtype) const;
  // Outputs that no variant may write, because the loop has not written them.
  std::vector<ExpectedOutput> kept_outputs(const Size& size, Dtype dtype) const;
  // These three throw std::logic_error. A layout that nobody asked for is
  // declared, but not there.
  void require_declared(std::string_view array) const;
  void require_bounds(const std::vector<ExpectedOutput>& outputs,
                      const Size& size) const;
  // Bounds that zeros keep everywhere prove nothing.
  void require_proof(const std::vector<ExpectedOutput>& outputs,
                     const Size& size) const;

 private:
  bool write_structure(const Arrays& inputs, const Size& size) const;
  // Inputs as it declares them, in their first layout; uniform in place of
  // those that are made of these.
  bool fills_all(const Arrays& inputs, const Size& size, Dtype dtype,
                 InputKind kind) const;
  void fill_own(const Arrays& inputs, const Size& size, Dtype dtype,
                InputKind kind) const;
  // The elements of a row of an array.
  std::int64_t columns(const ArraySpec& array, const Size& size) const;
  std::int64_t extent(std::string_view name, const Size& size) const;

  Declaration declared_;
  std::vector<Dtype> dtypes_;
  mutable std::mutex learning_;
  // by size, or one for all sizes
  mutable std::map<std::pair<Size, Dtype>, Structure> learnt_;
};

// Whole numbers up to this magnitude are exact in the type.
double exact_in(Dtype dtype);
// The largest number in inputs of the kind integers that a workload does not
// make itself.
constexpr std::int64_t largest_of_integers = 8;
bool all_bounded(const std::vector<ExpectedOutput>& outputs);

// A workload whose oracle is written by hand: make(inputs, size, kind,
// arithmetic, T{}).
template <typename Make, typename... Types>
class OracleWorkload final : public DeclaredWorkload {
 public:
  explicit OracleWorkload(Declaration declaration)
      : DeclaredWorkload(std::move(declaration), {dtype_of<Types>()...}) {}
  std::unique_ptr<Oracle> oracle(const Arrays& inputs, const Size& size,
                                 Dtype dtype, InputKind kind,
                                 Arithmetic arithmetic) const override {
    return dispatch<Types...>(dtype, [&](auto zero) -> std::unique_ptr<Oracle> {
      return Make{}(inputs, size, kind, arithmetic, zero);
    });
  }
};

template <typename... Types>
struct RegisterOracle {
  template <typename Make>
  RegisterOracle(Declaration declaration, Make) {
    Registry::instance().add(std::make_unique<OracleWorkload<Make, Types...>>(
        std::move(declaration)));
  }
};

}  // namespace parlab::reference
