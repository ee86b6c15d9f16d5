// Searches for the best tunables of one variant by sweeps.
#pragma once

#include <optional>
#include <vector>

#include "sweep/observer.hpp"
#include "sweep/plan.hpp"
#include "sweep/supervisor.hpp"
#include "tune/best.hpp"

namespace parlab {

struct Tuning {
  std::size_t tried = 0;             // configurations
  std::vector<Record> records = {};  // the last record of each configuration
  // The winner by new samples, its ties by those of the search. Nothing if none
  // has a time.
  std::optional<Choice> choice = {};
  int status = 0;  // exit status of its sweeps, as from run_sweep()
};

// plan: its tunables limit the values to try; its results name the file of the
// trials. If the budget allows, all configurations are measured. Configurations
// of an earlier search are not measured again.
Tuning find_best(const Plan& plan, const Subject& subject, double budget_s,
                 Observer& observer, Supervisor& supervisor);

}  // namespace parlab
