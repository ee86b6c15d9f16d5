// A correct kernel of dmv on the host itself, for tests of sweeps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "places/places.hpp"
#include "workloads/dmv.hpp"

namespace parlab::testing {

// y = A x, row by row.
inline void multiply(const Dmv::Args<float>& p) {
  for (std::int64_t row = 0; row < p.rows; ++row) {
    float sum = 0;
    for (std::int64_t col = 0; col < p.cols; ++col)
      sum += p.a[row * p.cols + col] * p.x[col];
    p.y[row] = sum;
  }
}

// The host; a test overrides the functions that should behave differently.
class OnHost : public Executor {
 public:
  void load(const Arrays& inputs,
            const std::vector<ArraySpec>& outputs) override {
    host_->load(inputs, outputs);
  }
  void release() override { host_->release(); }
  Checked run_checked(const Call& call) override {
    return host_->run_checked(call);
  }
  Batch sample(const Call& call, const BatchPlan& plan) override {
    return host_->sample(call, plan);
  }
  Left left_by_sample() override { return host_->left_by_sample(); }
  Repeated repeat(const Call& call, const Repetition& plan) override {
    return host_->repeat(call, plan);
  }
  std::optional<TransferTimes> transfers(const Call& call) override {
    return host_->transfers(call);
  }
  bool can_time() const override { return true; }
  Ceilings ceilings(const WantedCeilings& wanted) override {
    return host_->ceilings(wanted);
  }

 private:
  std::unique_ptr<Executor> host_ = make_host_executor();
};

}  // namespace parlab::testing
