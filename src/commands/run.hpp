// `parlab WORKLOAD SIZES ...`: verifies, measures, records and prints.
#pragma once

#include "cli/request.hpp"

namespace parlab {

// Returns the exit status: 0, 1 when a configuration failed, 130 when
// interrupted. Where the variants have to be emulated, parlab-emulated
// takes over and this does not return. arguments: those of the process.
// Throws UsageError when the run cannot start.
int run_workload(Request request, char** arguments);

}  // namespace parlab
