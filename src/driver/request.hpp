// What the user asked for, after command line and environment were read and checked.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "core/variant.hpp"

namespace parlab {

struct Request {
  enum class Action { run, usage, help, list, version, show, export_csv, machine };
  Action action = Action::run;
  const Workload* workload = nullptr;
  std::vector<Size> sizes;
  std::vector<Dtype> dtypes;
  std::vector<const Variant*> variants;                       // chosen, in ladder order
  std::map<std::string, std::vector<std::int64_t>> tunables;  // asked for, by tunable name
  std::vector<Cache> caches;
  std::optional<int> iterations;  // NR_ITER: this many samples, no more and no less
  double time_limit_s = 1;        // of one measurement
  double precision = 0.01;        // half width of the median's interval, relative
  std::string format = "table";   // table, csv, json, record
  std::string results;            // record file to append to and resume from; empty: none
  bool force = false;             // measure again what is recorded already
  bool emulate = false;
  std::vector<std::string> warnings;
  std::string command;  // as typed, for provenance
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
