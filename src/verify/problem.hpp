// One problem on the host: its inputs, and the oracles that know the right
// results.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/variant.hpp"
#include "core/workload.hpp"
#include "facts/cause.hpp"
#include "verify/disturbance.hpp"
#include "verify/host_arrays.hpp"

namespace parlab {

// The bytes on one device of the arrays that the oracles or one of the variants
// need.
double bytes_needed(const Workload& workload, const Size& size, Dtype dtype,
                    const std::vector<const Variant*>& variants);

Detail detail_of(const Mismatch& mismatch);

// Oracles of inputs that several problems make alike, for several threads. It
// keeps small ones that have all results: others refer to the inputs of their
// problem, or take too much memory.
class SharedOracles {
 public:
  using Key = std::tuple<const Workload*, Size, Dtype, InputKind,
                         std::optional<std::uint64_t>, Arithmetic>;
  // The oracle of these inputs, or the one that `make` returns. outputs: the
  // number of results that it has.
  std::shared_ptr<const Oracle> of(
      const Key& key, std::int64_t outputs,
      const std::function<std::unique_ptr<Oracle>()>& make);

 private:
  struct Known {
    std::mutex making;
    std::shared_ptr<const Oracle> oracle = {};
    bool is_shared = true;
  };
  std::mutex mutex_;
  std::map<Key, Known> known_;
};

class Problem {
 public:
  // seed: changes the values of inputs of kinds that take signs; absent: the
  // usual values. shared: used for the inputs of fill() if it is there. Throws
  // PointError(out_of_memory).
  Problem(const Workload& workload, const Size& size, Dtype dtype,
          const std::vector<const Variant*>& variants,
          std::optional<std::uint64_t> seed = {},
          std::shared_ptr<SharedOracles> shared = {});

  // Makes inputs of this kind; results of earlier oracles no longer count.
  void fill(InputKind kind);
  // Makes the same inputs again, after a variant has damaged them. Results for
  // disturbed inputs no longer count.
  void refill();
  // The first input in host memory that has changed since; empty: none.
  std::string damaged_input() const;

  // The first wrong element of the outputs that the variant writes.
  std::optional<Mismatch> check(const Arrays& outputs, const Variant& variant);
  // outputs: must just have passed check(). Nothing if the workload does not
  // compute errors.
  std::optional<LargestError> largest_error(const Arrays& outputs,
                                            const Variant& variant);

  // Draws the disturbance for one timed execution.
  Disturbance disturbance() const;
  // Draws the inputs for check_disturbed(), which uses oracles of its own.
  void disturb();
  const Disturbance& disturbed() const { return disturbed_; }
  std::optional<Mismatch> check_disturbed(const Arrays& outputs,
                                          const Variant& variant);

  InputKind kind() const { return kind_; }
  bool may_change_signs() const {
    return takes_signs(kind_) && !workload_.keeps_signs();
  }
  const Arrays& inputs() const { return inputs_.view(); }
  const std::vector<ArraySpec>& outputs() const { return outputs_; }

 private:
  const Workload& workload_;
  Size size_;
  Dtype dtype_;
  InputKind kind_ = InputKind::integers;
  std::optional<std::uint64_t> seed_;
  std::shared_ptr<SharedOracles> shared_;
  HostArrays inputs_;
  std::map<std::string, std::uint64_t> fingerprints_;  // of inputs as made
  std::vector<ArraySpec> outputs_;
  // made on first use, which is not tried again where it failed
  struct Made {
    std::shared_ptr<const Oracle> oracle = nullptr;
    std::exception_ptr failure = nullptr;
  };
  using Oracles = std::map<Arithmetic, Made>;
  // shared: may have it already, if there are some.
  std::shared_ptr<const Oracle> make_oracle(Arithmetic arithmetic,
                                            SharedOracles* shared) const;
  std::optional<Mismatch> check(Oracles& oracles, SharedOracles* shared,
                                const Arrays& outputs, const Variant& variant);

  Oracles oracles_, oracles_of_disturbed_;
  Disturbance disturbed_;
};

}  // namespace parlab
