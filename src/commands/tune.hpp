// Searches for the best tunables of variants.
#pragma once

#include <iosfwd>
#include <string>

#include "render/formats.hpp"
#include "sweep/plan.hpp"
#include "sweep/supervisor.hpp"

namespace parlab {

struct TuneRequest {
  // its tunables: the values to try, if not all; its results: unused
  Plan plan;
  // for each variant, dtype and size; if there is time for all configurations,
  // all are measured
  double budget_s = 60;
  std::string file;              // for the trials; empty: tuned_file()
  std::string format = "table";  // table, csv or json
  Looks looks = {};              // for a table
};

// Searches for the best configuration of each variant, and prints it with its
// ties and its gain over the defaults; progress and notes go to messages.
// Results of an earlier search are reused. Exit status: 0, 1 if a configuration
// failed, 130 if interrupted. Throws UsageError if there is nothing to tune.
int tune(const TuneRequest& request, std::ostream& out, std::ostream& messages,
         Supervisor& supervisor = unsupervised());

}  // namespace parlab
