// The search of one variant's best tunables, as sweeps.
#pragma once

#include <optional>
#include <vector>

#include "sweep/observer.hpp"
#include "sweep/plan.hpp"
#include "sweep/supervisor.hpp"
#include "tune/tuned.hpp"

namespace parlab {

struct Tuning {
  std::size_t tried = 0;             // configurations
  std::vector<Record> records = {};  // the last of each
  // The winner by fresh samples, its ties by those of the search.
  // Nothing when none has a time.
  std::optional<Choice> choice = {};
  int status = 0;  // of its sweeps, as of run_sweep()
};

// plan: its tunables are the values to try, where not all; its results are the
// file of the trials. With fewer configurations than budget_s allows all are
// measured. A configuration of an earlier search is not measured again.
Tuning find_best(const Plan& plan, const Subject& subject, double budget_s,
                 Observer& observer, Supervisor& supervisor);

}  // namespace parlab
