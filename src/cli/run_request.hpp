// A run's request: arguments become a plan in steps that have a file each:
// sizes (lists), variants (selection), tunables, and the rest here.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "sweep/plan.hpp"

namespace parlab {

struct RunRequest {
  Plan plan;
  std::string format = "table";  // table, csv, json, record, explain
  // variants on the GPU were chosen by --kernel or --variant
  bool named = false;
  // tunables requested as "best", and in what form
  std::map<std::string, std::string> best;
  std::vector<std::string> warnings;  // one line each
};

// arguments.workload: what to run. Throws UsageError.
RunRequest read_run(const Arguments& arguments);
// The same for the words after a command's name: a workload, and sizes.
RunRequest read_tuning(const Arguments& arguments);
// A request for one variant on an image, which sets the size. It is the last
// requested variant that has the data type, or the last on the CPU.
RunRequest read_filtering(const Arguments& arguments);

// The value of --machine, which becomes a folder's name; "" if not given.
// Throws UsageError.
std::string machine_asked_for(const Arguments& arguments);
// A file to read or write; "" if not given. Throws UsageError if it is a folder
// or a device.
std::string file_asked_for(const Arguments& arguments, const std::string& flag);

// ---- the steps --------------------------------------------------------------

using Chosen = std::set<const Variant*>;

// Fills plan.variants. record: one variant of each backend, as the course's
// format needs. Returns the variants chosen by name or number. Throws
// UsageError.
Chosen select_variants(const Arguments& arguments, bool record, Plan& plan);

// Fills plan.tunables, and best with the tunables requested as "best" (block:
// "GPU_BLOCK_SIZE=best"). A variant runs with the values that it allows; others
// are left out with a warning. A variant that allows none is dropped or, if it
// was named, refused (UsageError).
void select_tunables(const Arguments& arguments, const Chosen& named,
                     Plan& plan, std::map<std::string, std::string>& best,
                     std::vector<std::string>& warnings);

}  // namespace parlab
