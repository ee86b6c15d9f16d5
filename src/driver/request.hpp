// What the user asked for, after command line and environment were read and checked.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sweep/plan.hpp"

namespace parlab {

struct Request {
  enum class Action { run, usage, help, list, version, show, export_csv, machine };
  Action action = Action::run;
  Plan plan;                          // what to measure; its workload alone is set for usage, list
  std::string program;                // as called, for the usage text
  std::string format = "table";       // table, csv, json, record
  std::vector<std::string> paths;     // record files or folders, for show and export
  bool named = false;                 // variants were chosen by --kernel or --variant
  std::vector<std::string> warnings;  // one line each
};

using Environment = std::map<std::string, std::string>;
Environment environment_of_process();

// Throws UsageError with one line: the option or variable, its value, what is allowed.
Request parse_request(const std::vector<std::string>& arguments, const Environment& environment);

// "4096", "16,32,64", "16:512:16" (step), "16:512:*2" (factor); mixes "1,4:16:4". name: for the
// error message. Values in the order given, without repetitions.
std::vector<std::int64_t> parse_list(const std::string& name, const std::string& text,
                                     std::int64_t min, std::int64_t max);

}  // namespace parlab
