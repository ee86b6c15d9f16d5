// Samples of one configuration in one cache state, and the rule
// when there are enough.
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

  // How many executions to take in the next batch: about 20 ms of work,
  // 12 at most, so that neighbours in the round do not wait long and a
  // drift of the machine falls on all of them.
  int next_batch() const;
  // As many samples are wanted as were asked for, and no more.
  bool exact() const { return wanted_ > 0; }
  // The next batch should not begin before: the first ones are spread
  // over some time, for what a machine does for a few milliseconds is not
  // what it does. By the clock of add().
  double next_start_s() const;
  // A batch that was taken from start_s to end_s, by any clock. One whose
  // device ran far below the clock that the others settled at does not count:
  // the device woke up, or something slowed it down. A heavy kernel settles
  // below the highest clock, for its power is capped.
  void add(const Batch& batch, double start_s, double end_s);
  // Known as well as was asked for, by enough batches over
  // enough time, or out of time or of batches.
  bool finished() const { return finished_; }
  // Finished, and more would be too much: out of time, out of batches, or as
  // many samples as were asked for.
  bool exhausted() const { return exhausted_; }
  // How far it came, as a share.
  double progress() const;
  // In its last batch the device ran below its highest
  // clock: its power is capped.
  bool capped() const;

  const std::vector<double>& seconds() const { return samples_.seconds; }
  const std::vector<double>& apart() const { return apart_; }
  const std::vector<int>& batches() const { return samples_.batches; }
  bool converged() const { return converged_; }
  int discarded() const { return discarded_; }
  // The clock of the device, the median of all batches; 0: not known.
  double clock_hz() const;

 private:
  struct Taken {
    std::vector<double> seconds, apart;
    double clock_hz, highest_clock_hz;
  };
  bool due_to_judge();
  void count_samples();
  void judge();

  int wanted_;  // exact number of samples; 0: as many as the precision needs
  double precision_, time_limit_s_;
  double estimate_s_, spent_s_ = 0;
  double first_start_s_ = 0, last_start_s_ = 0, last_end_s_ = 0;
  std::vector<Taken> taken_;
  Samples samples_;            // of those that count
  std::vector<double> apart_;  // likewise
  bool finished_ = false, exhausted_ = false, converged_ = false;
  int discarded_ = 0;
  int executions_ = 0;
  std::size_t judged_next_ = 1;
};

}  // namespace parlab
