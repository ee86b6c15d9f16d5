#include "sweep/roof_watch.hpp"

#include <algorithm>
#include <cmath>

#include "core/clock.hpp"
#include "machine/roof.hpp"

namespace parlab {
namespace {

// Passes take no larger share of the time in which samples are taken.
constexpr double share_for_passes = 0.1;
constexpr std::size_t passes_at_least = 1;  // before the last one

// Their number if it is none of them.
std::size_t index_in(const std::vector<Pending*>& all, const Pending& one) {
  return static_cast<std::size_t>(std::ranges::find(all, &one) - all.begin());
}

}  // namespace

Least::Least(const Workload& workload, const Pending& pending)
    : unit_(pending.record.unit), cache_(pending.record.cache) {
  const auto& [variant, size, dtype, tunables, expected_s, at_most_s] =
      pending.trial->call;
  const auto gpus =
      static_cast<int>(std::max<std::int64_t>(tunables.value_or("gpus", 1), 1));
  work_ = share_of(workload.work(size, dtype), gpus);
  if (variant->travels != nullptr)
    moved_ = variant->travels(size.data(), dtype, gpus);
  // Arrays in host memory cross the link once in each direction.
  if (!variant->from_host()) return;
  for (const auto& array : workload.arrays(size, dtype)) {
    const auto bytes = static_cast<double>(array.bytes());
    if (variant->reads(array)) from_host_ += bytes;
    if (variant->writes(array)) to_host_ += bytes;
  }
}

double Least::seconds(const Ceilings& ceilings) const {
  return std::max({roof_seconds(ceilings, work_, unit_, cache_),
                   link_seconds(ceilings, moved_),
                   host_link_seconds(ceilings, from_host_, to_host_)});
}

WantedCeilings Least::wanted() const {
  return wanted_for(work_, unit_, cache_);
}

WantedCeilings Least::limits(const Ceilings& known) const {
  Ceilings memory = known, units = known;
  memory.units.clear();
  units.read.clear();
  units.copy.clear();
  const double by_memory = seconds(memory), by_unit = seconds(units),
               half = std::max(by_memory, by_unit) / 2;
  WantedCeilings limits{.least_bytes = 0, .most_bytes = 0, .brief = true};
  if (by_memory >= half) {
    // half: see attainable_bandwidth()
    limits.most_bytes = cache_ == Cache::cold
                            ? std::numeric_limits<double>::infinity()
                            : work_.bytes / 2;
  }
  if (by_unit >= half && known.units.contains(unit_)) limits.units = {unit_};
  return limits;
}

RoofWatch::RoofWatch(Bench& bench, const std::vector<Pending*>& open) {
  const auto& plan = bench.session.plan;
  if (plan.host_ceilings) return;
  wanted_ = {.least_bytes = 0, .most_bytes = 0, .brief = true};
  for (auto* pending : open) {
    Place& place = *pending->trial->place;
    if (place.target != Target::host) continue;
    host_ = &place;
    const Least& least = least_.emplace_back(*plan.workload, *pending);
    pending_.push_back(pending);
    wanted_.include(least.limits(place.ceilings));
  }
  roofs_.resize(pending_.size());
  passes_before_.resize(pending_.size());
}

void RoofWatch::look() {
  const double taken_s = seconds_since(begin_);
  const auto passes = roofs_.empty() ? 0 : roofs_.front().size();
  if (passes >= passes_at_least && spent_s_ > share_for_passes * taken_s)
    return;
  take_pass();
}

void RoofWatch::sampled(const Pending& pending) {
  const auto i = index_in(pending_, pending);
  if (i < pending_.size()) passes_before_[i].push_back(roofs_[i].size());
}

bool RoofWatch::settled(const Pending& pending) const {
  const auto i = index_in(pending_, pending);
  return host_ == nullptr || i == pending_.size() ||
         share(i).precision <= steady_roof - 1;
}

Summary RoofWatch::share(std::size_t i) const {
  const auto& roofs = roofs_[i];
  const auto& passes_before = passes_before_[i];
  const auto& measurement = *pending_[i]->measurement;
  const auto& batches = measurement.batches();
  if (roofs.empty()) return {};
  auto sorted = roofs;
  std::ranges::sort(sorted);
  // The slowest of the fastest quarter. The fastest of all becomes less typical
  // the more there are.
  const double quiet_s = steady_roof * sorted[sorted.size() / 4];
  Samples shares;
  auto begin = measurement.seconds().begin();
  for (std::size_t batch = 0;
       batch < std::min(batches.size(), passes_before.size()); ++batch) {
    const auto end = begin + batches[batch];
    const auto next = passes_before[batch];
    if (next < roofs.size() && roofs[next - 1] <= quiet_s &&
        roofs[next] <= quiet_s) {
      shares.seconds.push_back(std::min(roofs[next - 1], roofs[next]) /
                               median({begin, end}));
      shares.batches.push_back(1);
    }
    begin = end;
  }
  return summarize(shares);
}

void RoofWatch::finish() {
  take_pass();
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    auto& roofs = roofs_[i];
    if (roofs.empty()) return;
    const Summary of_time = share(i);
    if (std::isfinite(of_time.precision)) {
      const double roof_s =
          of_time.median * median(pending_[i]->measurement->seconds());
      pending_[i]->roof = Interval{roof_s, roof_s * (1 + of_time.precision)};
    } else {
      std::ranges::sort(roofs);
      // Medians of times do not notice either what slows a quarter of them
      // down.
      pending_[i]->roof = Interval{roofs.front(), roofs[3 * roofs.size() / 4]};
    }
  }
}

void RoofWatch::take_pass() {
  if (host_ == nullptr) return;
  Ceilings now;
  try {
    spent_s_ += seconds_of([&] { now = host_->executor->ceilings(wanted_); });
  } catch (const std::exception&) {  // too little memory, for example
    host_ = nullptr;
    return;
  }
  Ceilings held = host_->ceilings;
  if (!now.read.empty()) {
    held.read = now.read;
    held.copy = now.copy;
  }
  for (const auto& [unit, rate] : now.units)
    held.units[unit] = rate;
  for (std::size_t i = 0; i < pending_.size(); ++i)
    roofs_[i].push_back(least_[i].seconds(held));
}

}  // namespace parlab
