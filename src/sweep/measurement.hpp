// Samples of one configuration in one cache state, and the rule that decides
// when there are enough.
#pragma once

#include <vector>

#include "places/executor.hpp"
#include "statistics/statistics.hpp"
#include "sweep/plan.hpp"

namespace parlab {

class Measurement {
 public:
  // estimate_s: rough time of one execution.
  Measurement(const Plan& plan, double estimate_s);

  // Number of executions in the next batch: about 20 ms of work, 12 at most. So
  // the other configurations of the round do not wait long, and drift of the
  // machine affects all of them.
  int next_batch() const;
  // Whether exactly as many samples are taken as were asked for.
  bool exact() const { return wanted_ > 0; }
  // The next batch should not begin earlier, by the clock of add(). The first
  // batches are spread over some time, because a few milliseconds are not
  // typical of a machine.
  double next_start_s() const;
  // Adds a batch taken from start_s to end_s, by any clock. A batch does not
  // count if its device ran far below the settled clock, because the device was
  // waking up or something slowed it down. A heavy kernel settles below the
  // highest clock, because its power is capped.
  void add(const Batch& batch, double start_s, double end_s);
  // The median is known as well as was asked for, by enough batches over enough
  // time, or time or batches have run out.
  bool finished() const { return finished_; }
  // Finished, and no more samples may be taken: out of time, out of batches, or
  // as many as were asked for.
  bool exhausted() const { return exhausted_; }
  // Progress as a fraction.
  double progress() const;
  // Whether the device ran below its highest clock in the last batch, because
  // its power is capped.
  bool capped() const;

  const std::vector<double>& seconds() const { return samples_.seconds; }
  const std::vector<double>& apart() const { return apart_; }
  const std::vector<int>& batches() const { return samples_.batches; }
  bool converged() const { return converged_; }
  int discarded() const { return discarded_; }
  // Median of the device's clock over all batches; 0: unknown.
  double clock_hz() const;

 private:
  bool due_to_judge();
  void count_samples();
  void judge();

  int wanted_;  // exact number of samples; 0: as many as the precision needs
  double precision_, time_limit_s_;
  double estimate_s_, spent_s_ = 0;
  double first_start_s_ = 0, last_start_s_ = 0, last_end_s_ = 0;
  std::vector<Batch> taken_;
  Samples samples_;            // only those that count
  std::vector<double> apart_;  // likewise
  bool finished_ = false, exhausted_ = false, converged_ = false;
  int discarded_ = 0;
  int executions_ = 0;
  std::size_t judged_next_ = 1;
};

}  // namespace parlab
