#include "sweep/measurement.hpp"

#include <algorithm>
#include <limits>

namespace parlab {
namespace {

constexpr double batch_s = 0.02;
constexpr int batch_at_most = 12;
// When the time limit allows: only several batches, some time apart and with all other
// configurations in between, show how far a point moves.
constexpr std::size_t batches_at_least = 8;
constexpr double covered_at_least_s = 0.05;
// When it does not: with fewer an interval is too wide to be of use.
constexpr std::size_t batches_for_interval = 6;
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
  return wanted_ > 0 ? std::min(comfortable, wanted_ - static_cast<int>(seconds().size()))
                     : comfortable;
}

double Measurement::next_start_s() const {
  const bool spread = wanted_ == 0 && !batches().empty() && batches().size() < batches_at_least;
  if (!spread) return std::numeric_limits<double>::lowest();
  return last_start_s_ + covered_at_least_s / (batches_at_least - 1);
}

void Measurement::add(const Batch& batch, double start_s, double end_s) {
  spent_s_ += end_s - start_s;
  // A device that stays slow is a fact, not a disturbance: after twice the time limit its samples
  // count, and the record says how many were thrown away before.
  if (!batch.discarded.empty() && spent_s_ < 2 * time_limit_s_) {
    discarded_ += static_cast<int>(batch.seconds.size());
    return;
  }
  if (batches().empty()) first_start_s_ = start_s;
  last_start_s_ = start_s;
  last_end_s_ = end_s;
  samples_.seconds.insert(samples_.seconds.end(), batch.seconds.begin(), batch.seconds.end());
  apart_.insert(apart_.end(), batch.apart.begin(), batch.apart.end());
  samples_.batches.push_back(static_cast<int>(batch.seconds.size()));
  judge();
}

void Measurement::judge() {
  if (static_cast<int>(seconds().size()) < wanted_) return;
  const Summary summary = summarize(samples_);
  estimate_s_ = std::max(summary.median, 1e-9);
  converged_ = summary.precision <= precision_;
  if (wanted_ > 0) {
    finished_ = true;
  } else if (spent_s_ >= time_limit_s_) {
    finished_ = batches().size() >= batches_for_interval || spent_s_ >= patience * time_limit_s_;
  } else {
    finished_ = converged_ && batches().size() >= batches_at_least &&
                last_end_s_ - first_start_s_ >= covered_at_least_s;
  }
}

}  // namespace parlab
