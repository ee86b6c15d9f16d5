// Measures the limit of a point on the host while its samples are taken. On a
// shared host the limit is another one a minute later.
#pragma once

#include <chrono>
#include <vector>

#include "sweep/bench.hpp"

namespace parlab {

// Seconds that one execution of a record takes at least, by given ceilings.
class Least {
 public:
  Least(const Workload& workload, const Pending& pending);
  double seconds(const Ceilings& ceilings) const;
  WantedCeilings wanted() const;
  // A short pass over what limits it, by ceilings that are known: its unit, the
  // memory at its footprint, or both if they take about as long.
  WantedCeilings limits(const Ceilings& known) const;

 private:
  std::string unit_;
  Cache cache_;
  Work work_;
  double moved_ = 0, from_host_ = 0, to_host_ = 0;
};

// Takes short passes between the batches of samples, on the host alone and
// unless the plan gives its ceilings. A pass that fails is the last one.
//
// Each batch is held against the passes before and after it. Only quiet batches
// count, those between two passes that came near the fastest quarter of all:
// others may slow a pass and not the batch, or the other way round.
class RoofWatch {
 public:
  RoofWatch(Bench& bench, const std::vector<Pending*>& open);
  // Before each batch. After the first pass, one is left out if passes have
  // taken more than their share of the time.
  void look();
  // After each batch that was added to its measurement.
  void sampled(const Pending& pending);
  // Whether more batches would not tell its share of the limit any better.
  bool settled(const Pending& pending) const;
  // One more pass. Sets Pending::roof.
  void finish();

 private:
  void take_pass();
  // The limit over the time in its quiet batches.
  Summary share(std::size_t i) const;

  Place* host_ = nullptr;
  std::vector<Pending*> pending_;
  std::vector<Least> least_;
  WantedCeilings wanted_;
  std::vector<std::vector<double>> roofs_;  // of each pending, by pass
  // of each pending, by batch: number of passes before it
  std::vector<std::vector<std::size_t>> passes_before_;
  std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
  double spent_s_ = 0;
};

}  // namespace parlab
