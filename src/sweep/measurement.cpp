#include "sweep/measurement.hpp"

#include <algorithm>
#include <limits>

namespace parlab {
namespace {

constexpr int batch_at_most = 12;
// Minimum if the time limit allows. Only several batches, spread over time and
// interleaved with all other configurations, show how far a point varies.
constexpr std::size_t batches_at_least = 8;
constexpr double covered_at_least_s = 0.05;
// Minimum if it does not. With fewer batches an interval is too wide to be
// useful.
constexpr std::size_t batches_for_interval = 6;
// If that many do not settle it, twice as many will not, because the machine
// drifts.
constexpr std::size_t batches_at_most = 1000;
// A clock varies by a few percent, even under a power cap. Below this share of
// its settled value, something else slowed the device down.
constexpr double clock_share = 0.75;
// Below this share of the highest clock, boost alone cannot explain the
// difference.
constexpr double capped_share = 0.95;
// After that many batches the settled clock is known; before, the highest clock
// is expected.
constexpr std::size_t batches_to_settle = 3;
// multiples of the time limit after which no interval is expected
constexpr double patience = 10;

}  // namespace

Measurement::Measurement(const Plan& plan, double estimate_s)
    : wanted_(plan.iterations.value_or(0)),
      precision_(plan.precision),
      time_limit_s_(plan.time_limit_s),
      estimate_s_(std::max(estimate_s, 1e-9)) {}

int Measurement::next_batch() const {
  // Preparing an execution may take much longer than the execution, because its
  // inputs are written anew. The batches that an interval needs should fit the
  // time limit.
  const double affordable =
      wanted_ > 0 || executions_ == 0
          ? batch_at_most
          : time_limit_s_ / batches_for_interval * executions_ / spent_s_;
  const int comfortable = static_cast<int>(
      std::clamp(std::min(usual_batch_s / estimate_s_, affordable), 1.0,
                 double{batch_at_most}));
  if (wanted_ == 0) return comfortable;
  const int share = std::max(1, wanted_ / static_cast<int>(batches_at_least));
  return std::min({comfortable, share, wanted_ - (executions_ - discarded_)});
}

double Measurement::next_start_s() const {
  const bool spread =
      wanted_ == 0 && !batches().empty() && batches().size() < batches_at_least;
  if (!spread) return std::numeric_limits<double>::lowest();
  return last_start_s_ + covered_at_least_s / (batches_at_least - 1);
}

void Measurement::add(const Batch& batch, double start_s, double end_s) {
  spent_s_ += end_s - start_s;
  if (taken_.empty()) first_start_s_ = start_s;
  last_start_s_ = start_s;
  last_end_s_ = end_s;
  taken_.push_back(batch);
  executions_ += static_cast<int>(batch.seconds.size());
  if (!due_to_judge()) return;
  count_samples();
  judge();
}

// True after each batch at first. Later a few batches more or less do not
// matter, and looking at thousands of samples after each would take longer than
// taking them.
bool Measurement::due_to_judge() {
  const bool last = wanted_ > 0 ? executions_ >= wanted_
                                : spent_s_ >= time_limit_s_ ||
                                      taken_.size() >= batches_at_most;
  if (!last && taken_.size() < judged_next_) return false;
  judged_next_ = taken_.size() + 1 + taken_.size() / 20;
  return true;
}

double Measurement::progress() const {
  if (finished_) return 1;
  const double share = wanted_ > 0 ? static_cast<double>(executions_) / wanted_
                                   : spent_s_ / std::max(time_limit_s_, 1e-9);
  return std::min(share, 0.99);
}

bool Measurement::capped() const {
  return !taken_.empty() &&
         taken_.back().clock_hz < capped_share * taken_.back().highest_clock_hz;
}

double Measurement::clock_hz() const {
  std::vector<double> clocks;
  for (const auto& batch : taken_)
    clocks.push_back(batch.clock_hz);
  const auto middle = clocks.begin() + std::ssize(clocks) / 2;
  std::nth_element(clocks.begin(), middle, clocks.end());
  return *middle;
}

// Counts all batches anew, because the settled clock that they are compared
// with changes.
void Measurement::count_samples() {
  const double settled_hz = taken_.size() >= batches_to_settle
                                ? clock_hz()
                                : taken_.back().highest_clock_hz;
  samples_ = {};
  apart_.clear();
  discarded_ = 0;
  for (const auto& batch : taken_) {
    const auto &seconds = batch.seconds, &apart = batch.apart;
    // At most as many as asked for, even if discarded batches count again.
    const auto room = wanted_ > 0 ? static_cast<std::size_t>(wanted_) -
                                        samples_.seconds.size()
                                  : seconds.size();
    const auto count = std::min(room, seconds.size());
    if (batch.clock_hz < clock_share * settled_hz) {
      discarded_ += static_cast<int>(seconds.size());
    } else if (count > 0) {
      samples_.seconds.insert(
          samples_.seconds.end(), seconds.begin(),
          seconds.begin() + static_cast<std::ptrdiff_t>(count));
      samples_.batches.push_back(static_cast<int>(count));
      apart_.insert(apart_.end(), apart.begin(),
                    apart.begin() + static_cast<std::ptrdiff_t>(
                                        std::min(count, apart.size())));
    }
  }
}

void Measurement::judge() {
  if (seconds().empty() || static_cast<int>(seconds().size()) < wanted_) return;
  const Summary summary = summarize(samples_);
  estimate_s_ = std::max(summary.median, 1e-9);
  converged_ = summary.precision <= precision_;
  if (wanted_ > 0) {
    finished_ = exhausted_ = true;
  } else if (spent_s_ >= time_limit_s_ || taken_.size() >= batches_at_most) {
    exhausted_ = batches().size() >= batches_for_interval ||
                 spent_s_ >= patience * time_limit_s_;
    finished_ = exhausted_;
  } else {
    finished_ = converged_ && batches().size() >= batches_at_least &&
                last_end_s_ - first_start_s_ >= covered_at_least_s;
  }
}

}  // namespace parlab
