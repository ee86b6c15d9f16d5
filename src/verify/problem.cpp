#include "verify/problem.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "machine/topology.hpp"
#include "verify/guard.hpp"

namespace parlab {
namespace {

// The arrays of the workload in their first layout, which the oracles need, and
// in other layouts that one of the variants reads or writes.
std::vector<ArraySpec> arrays_needed(
    const Workload& workload, const Size& size, Dtype dtype,
    const std::vector<const Variant*>& variants) {
  auto arrays = workload.arrays(size, dtype);
  std::erase_if(arrays, [&](const ArraySpec& array) {
    return !array.layout_of.empty() &&
           std::ranges::none_of(variants, [&](const Variant* variant) {
             return variant->reads(array) || variant->writes(array);
           });
  });
  return arrays;
}

std::vector<ArraySpec> with_role(Role role, std::vector<ArraySpec> arrays) {
  std::erase_if(arrays,
                [=](const ArraySpec& array) { return array.role != role; });
  return arrays;
}

// Number of threads that write inputs anew; for small ones, starting a team
// takes longer.
int threads_worth(const Arrays& inputs) {
  std::size_t bytes = 0;
  for (const auto& array : inputs)
    bytes += array.spec.bytes();
  return bytes > std::size_t{1} << 20 ? physical_cores() : 1;
}

// Whether an element of an output is as it was before the variant. Its bits are
// all set: arithmetic makes no such number. A type has 7 bits or more behind
// the point.
bool is_poison(double found) {
  constexpr int least_ones = 1 + 11 + 7;
  const auto bits = std::bit_cast<std::uint64_t>(found);
  const int ones = std::countl_one(bits);
  return ones >= least_ones && ones + std::countr_zero(bits) >= 64;
}

}  // namespace

double bytes_needed(const Workload& workload, const Size& size, Dtype dtype,
                    const std::vector<const Variant*>& variants) {
  double bytes = 0;
  for (const auto& array : arrays_needed(workload, size, dtype, variants)) {
    bytes += static_cast<double>(array.bytes());
  }
  return bytes;
}

Detail detail_of(const Mismatch& mismatch) {
  const auto& [where, expected, found, bound] = mismatch;
  const auto number = [](double value) -> Argument {
    if (std::isfinite(value)) return quantity(value, Unit::none);
    return value > 0 ? "infinity" : "-infinity";
  };
  if (std::isnan(expected))
    return {.cause = Cause::not_kept, .arguments = {where}};
  if (std::isnan(found)) {
    return {.cause = is_poison(found) ? Cause::left_out : Cause::not_a_number,
            .arguments = {where, number(expected)}};
  }
  if (bound == 0) {
    return {.cause = Cause::not_exact,
            .arguments = {where, number(found), number(expected)}};
  }
  return {.cause = Cause::wrong_element,
          .arguments = {where, number(found), number(expected),
                        number(std::abs(found - expected)), number(bound)}};
}

std::shared_ptr<const Oracle> SharedOracles::of(
    const Key& key, std::int64_t outputs,
    const std::function<std::unique_ptr<Oracle>()>& make) {
  constexpr std::int64_t most_outputs = 1 << 20;
  if (outputs > most_outputs) return make();
  auto& known = [&]() -> Known& {
    const std::lock_guard lock(mutex_);
    return known_[key];
  }();
  std::unique_lock lock(known.making);
  if (known.oracle) return known.oracle;
  if (!known.is_shared) {
    lock.unlock();
    return make();
  }
  std::shared_ptr<const Oracle> made = make();
  known.is_shared = made->has_all_results();
  if (known.is_shared) known.oracle = made;
  return made;
}

Problem::Problem(const Workload& workload, const Size& size, Dtype dtype,
                 const std::vector<const Variant*>& variants,
                 std::optional<std::uint64_t> seed,
                 std::shared_ptr<SharedOracles> shared)
    : workload_(workload),
      size_(size),
      dtype_(dtype),
      seed_(seed),
      shared_(std::move(shared)),
      inputs_(with_role(Role::input,
                        arrays_needed(workload, size, dtype, variants))),
      outputs_(with_role(Role::output,
                         arrays_needed(workload, size, dtype, variants))) {}

void Problem::fill(InputKind kind) {
  kind_ = kind;
  oracles_.clear();
  refill();
}

void Problem::refill() {
  inputs_.renew_guards();
  workload_.fill(inputs_.view(), size_, dtype_, kind_);
  if (seed_ && may_change_signs()) {
    write_anew(inputs_.view(), {}, signs_of_seed(*seed_),
               threads_worth(inputs_.view()));
  }
  oracles_of_disturbed_.clear();
  for (const auto& array : inputs_.view())
    fingerprints_[array.spec.name] = fingerprint_of(array, physical_cores());
}

std::string Problem::damaged_input() const {
  for (const auto& array : inputs_.view()) {
    if (fingerprint_of(array, physical_cores()) !=
        fingerprints_.at(array.spec.name))
      return array.spec.name;
  }
  return {};
}

std::optional<Mismatch> Problem::check(const Arrays& outputs,
                                       const Variant& variant) {
  return check(oracles_, shared_.get(), outputs, variant);
}

std::shared_ptr<const Oracle> Problem::make_oracle(
    Arithmetic arithmetic, SharedOracles* shared) const {
  const auto make = [&] {
    return workload_.oracle(inputs_.view(), size_, dtype_, kind_, arithmetic);
  };
  if (shared == nullptr) return make();
  std::int64_t count = 0;
  for (const auto& array : outputs_)
    count += array.count;
  return shared->of({&workload_, size_, dtype_, kind_, seed_, arithmetic},
                    count, make);
}

std::optional<LargestError> Problem::largest_error(const Arrays& outputs,
                                                   const Variant& variant) {
  const auto& made = oracles_.at(variant.arithmetic_in(dtype_));
  return made.oracle->largest_error(outputs);
}

Disturbance Problem::disturbance() const {
  return {.signs = may_change_signs() ? random_signs() : Signs{},
          .inputs = random_changes(inputs_.view(), kind_),
          .outputs = random_spoils(outputs_)};
}

void Problem::disturb() {
  oracles_of_disturbed_.clear();
  disturbed_ = disturbance();
}

std::optional<Mismatch> Problem::check_disturbed(const Arrays& outputs,
                                                 const Variant& variant) {
  // Writing large inputs anew takes longer than an execution.
  const auto& made = oracles_of_disturbed_[variant.arithmetic_in(dtype_)];
  if (made.oracle && made.oracle->has_all_results())
    return check(oracles_of_disturbed_, nullptr, outputs, variant);

  SignedInputs inputs(inputs_.view(), threads_worth(inputs_.view()));
  inputs.take(disturbed_.signs);
  const Changed changed(disturbed_.inputs, inputs_.view());
  return check(oracles_of_disturbed_, nullptr, outputs, variant);
}

std::optional<Mismatch> Problem::check(Oracles& oracles, SharedOracles* shared,
                                       const Arrays& outputs,
                                       const Variant& variant) {
  const bool writes = std::ranges::any_of(outputs_, [&](const auto& output) {
    return output.count > 0 && variant.writes(output);
  });
  if (!writes)
    throw UsageError(size_text(workload_, size_) + ": " + variant.full_name() +
                     " has no element of an output to compute, so nothing can "
                     "be verified");
  const Arithmetic arithmetic = variant.arithmetic_in(dtype_);
  auto& [oracle, failure] = oracles[arithmetic];
  if (failure) std::rethrow_exception(failure);
  try {
    if (!oracle) oracle = make_oracle(arithmetic, shared);
  } catch (...) {
    failure = std::current_exception();
    throw;
  }
  std::vector<Array> written;
  std::ranges::copy_if(
      outputs, std::back_inserter(written),
      [&](const Array& array) { return variant.writes(array.spec); });
  return oracle->check(Arrays(std::move(written)));
}

}  // namespace parlab
