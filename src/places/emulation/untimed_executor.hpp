// What emulated places have in common: they say right or
// wrong, and never how long.
#pragma once

#include <stdexcept>

#include "places/executor.hpp"

namespace parlab {

class UntimedExecutor : public Executor {
 public:
  Batch sample(const Call&, const BatchPlan&) final {
    throw std::logic_error("emulated executions are not timed");
  }
  std::optional<TransferTimes> transfers(const Call&) final {
    return std::nullopt;
  }
  bool can_time() const final { return false; }
  Ceilings ceilings(const WantedCeilings&) final { return {}; }
};

}  // namespace parlab
