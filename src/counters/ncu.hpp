// NVIDIA Nsight Compute's command line, ncu: started, and its output read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "facts/cause.hpp"

namespace parlab {

// By plain name, of one execution; what could not be read is not there.
using Counters = std::map<std::string, double>;

// All that can be read.
std::vector<std::string> counter_names();

// One kernel that ncu profiled: a row of its raw page.
struct ProfiledKernel {
  std::string name, grid;  // "(40, 1, 1)"
  std::map<std::string, double> metrics;
};

// Nothing was counted; its detail says why and what to do.
struct NoCounters : ExplainedError {
  using ExplainedError::ExplainedError;
};

// Nothing can be counted on this machine: no GPU, no ncu, or no permission.
struct NoCountersHere : NoCounters {
  using NoCounters::NoCounters;
};

// Rows of what `ncu --csv --page raw` printed; the lines around them are
// skipped, and so are values that are no finite number ("n/a", "nan").
std::vector<ProfiledKernel> parse_profile(const std::string& output);

// One entry for each of so many executions: of the kernels behind the mark with
// its number. An execution of which no kernel was seen has an empty one.
//
// Several kernels of one execution: requests, sectors, conflicts and bytes
// are sums, percentages of the peaks are means weighted by time, occupancy
// and branch uniformity are those of the kernel that took longest.
std::vector<Counters> counters_by_execution(
    const std::vector<ProfiledKernel>& kernels, std::size_t executions);

// The reason in what ncu printed when it profiled no kernel.
Detail why_nothing_was_counted(const std::string& output);

// Where a tool of the CUDA toolkit is; empty: nowhere.
std::string find_tool(const std::string& name);
// Where ncu is. Throws NoCountersHere.
std::string find_ncu();

// Runs this program under ncu as `parlab execute-once ARGUMENTS`. cold:
// caches are flushed before each kernel. gpu: UUID of the one to use;
// empty: the first. report: a file for what ncu's own viewer opens; empty:
// none. Throws NoCounters, or NoCountersHere.
std::vector<ProfiledKernel> profile(const std::vector<std::string>& arguments,
                                    Cache cache, const std::string& gpu,
                                    const std::string& report = {});

}  // namespace parlab
