// The options of runs; other commands share some of them.
#pragma once

#include "cli/command.hpp"

namespace parlab {

// In the order of --help.
Options run_options();
// The options with these flags.
Options run_options(const std::vector<std::string>& flags);
// One for each parameter of a workload and for each tunable of a variant.
Options problem_options();

}  // namespace parlab
