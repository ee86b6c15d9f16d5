// The best known tunables, looked up for a plan.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "facts/cause.hpp"
#include "sweep/plan.hpp"

namespace parlab {

// results/MACHINE/tuned.trials: records as in any record file, appended as they
// are measured, but not among those that figures and claims are made of.
std::string tuned_file();

// Makes plan run with the best known value of each tunable in best (its
// name: how the user asked for it, "GPU_BLOCK_SIZE=best"). file: of the trials;
// empty: tuned_file(). Returns notes for the user: sizes that stand in for the
// one asked for, variants that run at their defaults because they are not
// tuned. Throws UsageError with the command to run when no chosen variant is
// tuned.
std::vector<Detail> use_best(const std::map<std::string, std::string>& best,
                             const std::string& file, Plan& plan);

}  // namespace parlab
