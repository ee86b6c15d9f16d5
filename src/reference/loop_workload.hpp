// A workload of a declaration and a loop that computes its outputs as anybody
// would write it. All else follows from running the loop on numbers that carry
// what is needed: the sizes, the inputs, what is right, and how far from it a
// result may be.
//
//   const RegisterLoop<Dmv, float, double> dmv(
//       {.name = "dmv", ...},
//       []<typename In, typename Out>(const Dmv::Args<In, Out>& p) { ... });
#pragma once

#include <map>
#include <mutex>

#include "core/random.hpp"
#include "core/variant.hpp"
#include "reference/declared_workload.hpp"
#include "reference/loop_oracle.hpp"
#include "reference/number.hpp"
#include "reference/structure.hpp"

namespace parlab::reference {

template <typename Contract, typename Loop, typename... Types>
class LoopWorkload final : public DeclaredWorkload {
 public:
  explicit LoopWorkload(Declaration declaration)
      : DeclaredWorkload(std::move(declaration), {dtype_of<Types>()...}) {}

  std::unique_ptr<Oracle> oracle(const Arrays& inputs, const Size& size,
                                 Dtype dtype, InputKind kind,
                                 Arithmetic arithmetic) const override {
    return dispatch<Types...>(dtype, [&]<typename T>(T) {
      return structure(inputs, size, dtype).once
                 ? make_oracle<T, true>(inputs, size, kind, arithmetic)
                 : make_oracle<T, false>(inputs, size, kind, arithmetic);
    });
  }

 protected:
  Seen see(const Arrays& inputs, const Size& size, Dtype dtype) const override {
    return dispatch<Types...>(dtype, [&]<typename T>(T) {
      using Symbols = std::vector<Cell<T, Symbol>>;
      std::map<std::string, Symbols, std::less<>> outputs;
      for (const auto& spec : outputs_of(size, dtype))
        outputs[spec.name].resize(spec.count);
      run<T, Symbol>(inputs, size, [&](std::string_view name) -> void* {
        const auto output = outputs.find(name);
        return output == outputs.end() ? nullptr : output->second.data();
      });
      Seen seen;
      for (const auto& [name, symbols] : outputs) {
        for (const auto& cell : symbols)
          seen.add(cell.symbol());
      }
      return seen;
    });
  }

  Counted count(const Arrays& inputs, const Size& size,
                Dtype dtype) const override {
    return dispatch<Types...>(dtype, [&]<typename T>(T) {
      Counted largest;
      for (const auto& output : expect<T, Counted>(inputs, size, 0)) {
        for (std::int64_t i = 0; i < output.spec.count; ++i) {
          const auto [terms, most] = output.elements[i];
          largest.terms = std::max(largest.terms, terms);
          largest.most = std::max(largest.most, most);
        }
      }
      return largest;
    });
  }

 private:
  template <typename T, bool once>
  std::unique_ptr<Oracle> make_oracle(const Arrays& inputs, const Size& size,
                                      InputKind kind,
                                      Arithmetic arithmetic) const {
    static std::mutex one_at_a_time;  // for what numbers share
    const std::lock_guard lock(one_at_a_time);
    const Structure& learnt = structure(inputs, size, dtype_of<T>());
    const double exact = exact_in(dtype_of<T>());
    if (std::is_integral_v<T> ||
        (kind == InputKind::integers && learnt.may_be_exact(size, exact))) {
      Whole<once>::exact = exact;
      auto outputs = expect<T, Whole<once>>(inputs, size, learnt.rows(size));
      if (all_bounded(outputs))
        return std::make_unique<LoopOracle>(std::move(outputs), false);
    }
    if constexpr (std::is_integral_v<T>) {
      throw std::logic_error(std::string(name()) +
                             ": its reference is not whole");
    } else {
      if (terms_of(kind) == Terms::random && learnt.has_long_sums(size)) {
        if (once)
          return within<T, true, false>(inputs, size, kind, arithmetic, learnt);
        if (learnt.apart)
          return within<T, true, true>(inputs, size, kind, arithmetic, learnt);
        if (learnt.stores && learnt.alone)
          return within<T, false, true, true>(inputs, size, kind, arithmetic,
                                              learnt);
      }
      return learnt.stores ? within<T, false, true>(inputs, size, kind,
                                                    arithmetic, learnt)
                           : within<T, false, false>(inputs, size, kind,
                                                     arithmetic, learnt);
    }
  }

  template <typename T, bool squares, bool carries, bool has_parts = false>
  std::unique_ptr<Oracle> within(const Arrays& inputs, const Size& size,
                                 InputKind kind, Arithmetic arithmetic,
                                 const Structure& learnt) const {
    using Number = Rounded<Wide<T>, squares, carries, has_parts>;
    Rounding rounds = rounding(dtype_of<T>(), arithmetic);
    const auto factors_of = [&](FactorOf what) {
      return &Factors::of(rounds, rounding_of_wide<Wide<T>>, what);
    };
    Number::of_norm = factors_of(FactorOf::norm);
    Number::of_squares = factors_of(FactorOf::squares);
    // Functions of few distinct numbers are rounded alike wherever they are
    // added, so the errors of their sum may all have one direction.
    if (learnt.is_real) rounds.to_nearest = false;
    Number::factors =
        squares ? Number::of_norm : factors_of(FactorOf::magnitudes);
    Number::is_ieee = arithmetic == Arithmetic::ieee;
    auto outputs = expect<T, Number>(inputs, size, learnt.rows(size));
    if (carries) require_bounds(outputs, size);
    if (kind != InputKind::wide) require_proof(outputs, size);
    return std::make_unique<LoopOracle>(std::move(outputs), Number::is_ieee);
  }

  // rows: about how many the loop has, for who waits.
  template <typename T, typename Number>
  std::vector<ExpectedOutput> expect(const Arrays& inputs, const Size& size,
                                     double rows) const {
    static_assert(sizeof(Cell<T, Number>) == sizeof(Expected));
    auto outputs = kept_outputs(size, dtype_of<T>());
    begin_pass(rows);
    run<T, Number>(inputs, size, [&](std::string_view name) -> void* {
      for (auto& output : outputs) {
        if (output.spec.name == name) return output.elements.data();
      }
      return nullptr;
    });
    return outputs;
  }

  // The arrays as the loop sees them: inputs of T, whose elements it reads as
  // numbers, and cells of outputs.
  template <typename Find>
  class LoopArrays final : public NamedArrays {
   public:
    LoopArrays(const LoopWorkload& workload, const Arrays& inputs,
               const Find& output)
        : workload_(workload), inputs_(inputs), output_(output) {}

   private:
    void* find(const char* name, Dtype) const override {
      if (void* const output = output_(name)) return output;
      void* const input = inputs_.get<unsigned char>(name);
      if (input == nullptr) workload_.require_declared(name);
      return input;
    }
    const LoopWorkload& workload_;
    const Arrays& inputs_;
    const Find& output_;
  };

  template <typename T, typename Number, typename Find>
  void run(const Arrays& inputs, const Size& size, const Find& output) const {
    const LoopArrays arrays(*this, inputs, output);
    Loop{}(arguments_of<Contract, Element<T, Number>, Cell<T, Number>>(
        arrays, size.data()));
  }
};

template <typename Contract, typename... Types>
struct RegisterLoop {
  template <typename Loop>
  RegisterLoop(Declaration declaration, Loop) {
    Registry::instance().add(
        std::make_unique<LoopWorkload<Contract, Loop, Types...>>(
            std::move(declaration)));
  }
};

}  // namespace parlab::reference
