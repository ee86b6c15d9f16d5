// Starts ncu, the command line of NVIDIA Nsight Compute, and reads its output.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "facts/cause.hpp"

namespace parlab {

// Counters of one execution by plain name; those that could not be read are
// absent.
using Counters = std::map<std::string, double>;

// Adds the counters that are quotients of others.
void add_quotients(Counters& counters);

// All counters that can be read.
std::vector<std::string> counter_names();

// One kernel that ncu profiled: a row of its raw page.
struct ProfiledKernel {
  std::string name, grid;  // "(40, 1, 1)"
  std::map<std::string, double> metrics;
};

// Nothing was counted; the detail gives the reason and a remedy.
struct NoCounters : ExplainedError {
  using ExplainedError::ExplainedError;
};

// This machine cannot count: it has no GPU or no ncu, or permission is missing.
struct NoCountersHere : NoCounters {
  using NoCounters::NoCounters;
};

// Rows from the output of `ncu --csv --page raw`. Other lines are skipped, and
// so are values that are not finite numbers ("n/a", "nan").
std::vector<ProfiledKernel> parse_profile(const std::string& output);

// One entry for each execution, from the kernels after the mark with its
// number. It is empty if no kernel of the execution was seen.
//
// If an execution has several kernels, requests, sectors, conflicts and bytes
// are sums; percentages of the peaks are means weighted by time; occupancy and
// branch uniformity are those of the kernel that took longest.
std::vector<Counters> counters_by_execution(
    const std::vector<ProfiledKernel>& kernels, std::size_t executions);

// The reason, from ncu's output, if it profiled no kernel.
Detail why_nothing_was_counted(const std::string& output);

// The path of a tool of the CUDA toolkit; empty if it is missing.
std::string find_tool(const std::string& name);
// The path of ncu. Throws NoCountersHere.
std::string find_ncu();

struct Profile {
  std::vector<ProfiledKernel> kernels;
  std::string source_page;  // counters/ncu_lines.hpp reads it
};

// Runs this program under ncu as `parlab execute-once ARGUMENTS`. cold: caches
// are flushed before each kernel. gpu: UUID of the GPU to use; empty: the
// first. report: a file for ncu's own viewer; empty: none. Throws NoCounters,
// or NoCountersHere.
Profile profile(const std::vector<std::string>& arguments, Cache cache,
                const std::string& gpu, const std::string& report = {});

}  // namespace parlab
