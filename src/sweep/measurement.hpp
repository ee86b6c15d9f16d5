// Samples of one configuration in one cache state, and the rule when there are enough.
#pragma once

#include <vector>

#include "places/executor.hpp"
#include "statistics/statistics.hpp"
#include "sweep/plan.hpp"

namespace parlab {

class Measurement {
 public:
  // estimate_s: roughly the time of one execution.
  Measurement(const Plan& plan, double estimate_s);

  // How many executions to take in the next batch: about 20 ms of work, 12 at most, so that
  // neighbours in the round do not wait long and a drift of the machine falls on all of them.
  int next_batch() const;
  void add(const Batch& batch, double wall_s);
  bool finished() const { return finished_; }

  const std::vector<double>& seconds() const { return seconds_; }
  bool converged() const { return converged_; }
  int discarded() const { return discarded_; }

 private:
  void judge();

  int wanted_;  // exact number of samples; 0: as many as the precision needs
  double precision_, time_limit_s_;
  double estimate_s_, spent_s_ = 0;
  std::vector<double> seconds_;
  bool finished_ = false, converged_ = false;
  int discarded_ = 0, batches_ = 0;
};

}  // namespace parlab
