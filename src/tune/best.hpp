// Looks up the best known tunables for a plan.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "facts/cause.hpp"
#include "sweep/plan.hpp"

namespace parlab {

// results/MACHINE/tuned.trials. It has records like any record file, appended
// as they are measured, but figures and claims do not use them.
std::string tuned_file();

// Makes plan run with the best known value of each tunable in best, which maps
// its name to the user's words, such as "GPU_BLOCK_SIZE=best". file: the file
// of the trials; empty: tuned_file(). Returns notes for the user: sizes used in
// place of the requested one, and variants that run with their defaults because
// they are not tuned. Throws UsageError with the command to run when no chosen
// variant is tuned.
std::vector<Detail> use_best(const std::map<std::string, std::string>& best,
                             const std::string& file, Plan& plan);

}  // namespace parlab
