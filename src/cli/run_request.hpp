// A run as it was asked for: from the arguments to a plan, in steps that each
// have a file: sizes (lists), variants (selection), tunables, and here the
// rest.
#pragma once

#include <map>
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
  // tunables asked for as "best", and how
  std::map<std::string, std::string> best;
  std::vector<std::string> warnings;  // one line each
};

// arguments.workload: what to run. Throws UsageError.
RunRequest read_run(const Arguments& arguments);
// The same for the words behind a command's name: a workload, and sizes.
RunRequest read_tuning(const Arguments& arguments);
// A request for one variant on an image, which gives the size: the last variant
// that was asked for and has the data type, or the last on the CPU.
RunRequest read_filtering(const Arguments& arguments);

// It becomes the name of a folder: --machine. "" where it is not given.
// Throws UsageError.
std::string machine_asked_for(const Arguments& arguments);
// A file to write to, or to read: "" where it is not given. Throws UsageError
// when it is a folder or a device.
std::string file_asked_for(const Arguments& arguments, const std::string& flag);

}  // namespace parlab
