// One problem on the host: its inputs, and the oracles that
// know the right answer.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/accuracy.hpp"
#include "core/variant.hpp"
#include "core/workload.hpp"
#include "facts/cause.hpp"
#include "verify/disturbance.hpp"
#include "verify/host_arrays.hpp"

namespace parlab {

// The arrays of the workload in their first layout, which the oracles need,
// and those in another that one of the variants reads or writes.
std::vector<ArraySpec> arrays_needed(
    const Workload& workload, const Size& size, Dtype dtype,
    const std::vector<const Variant*>& variants);

// Their bytes on one device.
double bytes_needed(const Workload& workload, const Size& size, Dtype dtype,
                    const std::vector<const Variant*>& variants);

Detail detail_of(const Mismatch& mismatch);

class Problem {
 public:
  // seed: of what the inputs hold, of kinds that take signs; absent: what they
  // hold everywhere. Throws PointError(out_of_memory).
  Problem(const Workload& workload, const Size& size, Dtype dtype,
          const std::vector<const Variant*>& variants,
          std::optional<std::uint64_t> seed = {});

  // Makes the inputs of this kind; what an oracle said before no longer counts.
  void fill(InputKind kind);
  // The same inputs again, after a variant has damaged them.
  void refill();

  // The first wrong element of the outputs that the variant writes.
  std::optional<Mismatch> check(const Arrays& outputs, const Variant& variant);
  // outputs: found right just now. Nothing where the workload does not
  // know.
  std::optional<LargestError> largest_error(const Arrays& outputs,
                                            const Variant& variant);

  // For one timed execution.
  Disturbance disturbance() const;
  // Draws the inputs that check_disturbed() judges by: with oracles of its own.
  void disturb();
  const Disturbance& disturbed() const { return disturbed_; }
  std::optional<Mismatch> check_disturbed(const Arrays& outputs,
                                          const Variant& variant);

  InputKind kind() const { return kind_; }
  const Arrays& inputs() const { return inputs_.view(); }
  const std::vector<ArraySpec>& outputs() const { return outputs_; }

 private:
  const Workload& workload_;
  Size size_;
  Dtype dtype_;
  InputKind kind_ = InputKind::integers;
  std::optional<std::uint64_t> seed_;
  HostArrays inputs_;
  std::vector<ArraySpec> outputs_;
  // made when first asked
  using Oracles = std::map<Arithmetic, std::unique_ptr<Oracle>>;
  std::optional<Mismatch> check(Oracles& oracles, const Arrays& outputs,
                                const Variant& variant);

  Oracles oracles_, oracles_of_disturbed_;
  Disturbance disturbed_;
};

}  // namespace parlab
