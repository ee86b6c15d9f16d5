// Tuning: searching the tunables of variants, and using what was found.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

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
};

// results/MACHINE/tuned.trials: records as in any record file, appended as they
// are measured, but not among those that figures and claims are made of.
std::string tuned_file();

// Searches and prints the best configuration of each variant, its ties, and
// what it gains over the defaults; progress and notes go to messages. What
// an earlier search has measured is not measured again. Exit status: 0, 1
// when a configuration failed, 130 when interrupted. Throws UsageError when
// there is nothing to tune. supervisor: may be null.
int tune(const TuneRequest& request,
         std::ostream& out,
         std::ostream& messages,
         Supervisor* supervisor = nullptr);

// Makes plan run with the best known value of each tunable in best (its
// name: how the user asked for it, "GPU_BLOCK_SIZE=best"). Returns what to
// tell the user: sizes that stand in for the one asked for, variants that
// run at their defaults because they are not tuned. Throws UsageError with
// the command to run when no chosen variant is tuned.
std::vector<std::string> use_best(
    const std::map<std::string, std::string>& best,
    const std::string& file,
    Plan& plan);

}  // namespace parlab
