#include "sweep/measurement.hpp"

#include <algorithm>

namespace parlab {
namespace {

constexpr double batch_s = 0.02;
constexpr int batch_at_most = 12;
// When the time limit allows. Samples of one batch are alike: only several batches, with all other
// configurations in between, show how far a point moves.
constexpr std::size_t samples_at_least = 20;
constexpr int batches_at_least = 4;
constexpr std::size_t samples_for_interval = 7;  // with fewer, a speedup has no 95 % interval
constexpr double patience = 10;  // time limits that may pass before an interval is given up

}  // namespace

Measurement::Measurement(const Plan& plan, double estimate_s)
    : wanted_(plan.iterations.value_or(0)),
      precision_(plan.precision),
      time_limit_s_(plan.time_limit_s),
      estimate_s_(std::max(estimate_s, 1e-9)) {}

int Measurement::next_batch() const {
  const int comfortable =
      static_cast<int>(std::clamp(batch_s / estimate_s_, 1.0, double{batch_at_most}));
  return wanted_ > 0 ? std::min(comfortable, wanted_ - static_cast<int>(seconds_.size()))
                     : comfortable;
}

void Measurement::add(const Batch& batch, double wall_s) {
  spent_s_ += wall_s;
  // A device that stays slow is a fact, not a disturbance: after twice the time limit its samples
  // count, and the record says how many were thrown away before.
  if (!batch.discarded.empty() && spent_s_ < 2 * time_limit_s_) {
    discarded_ += static_cast<int>(batch.seconds.size());
    return;
  }
  ++batches_;
  seconds_.insert(seconds_.end(), batch.seconds.begin(), batch.seconds.end());
  judge();
}

void Measurement::judge() {
  if (static_cast<int>(seconds_.size()) < wanted_) return;
  const Summary summary = summarize(seconds_);
  estimate_s_ = std::max(summary.median, 1e-9);
  converged_ = relative_half_width(summary) <= precision_;
  if (wanted_ > 0) {
    finished_ = static_cast<int>(seconds_.size()) >= wanted_;
  } else if (spent_s_ >= time_limit_s_) {
    finished_ = seconds_.size() >= samples_for_interval || spent_s_ >= patience * time_limit_s_;
  } else {
    finished_ = converged_ && seconds_.size() >= samples_at_least && batches_ >= batches_at_least;
  }
}

}  // namespace parlab
