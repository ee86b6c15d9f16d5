// Searching the best tunables of variants.
#pragma once

#include <iosfwd>
#include <string>

#include "render/terminal.hpp"
#include "sweep/plan.hpp"
#include "sweep/supervisor.hpp"

namespace parlab {

struct TuneRequest {
  // its tunables: the values to try, where not all; its results: unused
  Plan plan;
  // for each variant, dtype and size; with fewer configurations than
  // that allows, all are measured
  double budget_s = 60;
  std::string file;              // of the trials; empty: tuned_file()
  std::string format = "table";  // table, csv or json
  Looks looks = {};              // of a table
};

// Searches and prints the best configuration of each variant, its ties, and
// what it gains over the defaults; progress and notes go to messages. What
// an earlier search has measured is not measured again. Exit status: 0, 1
// when a configuration failed, 130 when interrupted. Throws UsageError when
// there is nothing to tune.
int tune(const TuneRequest& request, std::ostream& out, std::ostream& messages,
         Supervisor& supervisor = unsupervised());

}  // namespace parlab
