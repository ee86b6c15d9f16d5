// Which stored records a command is about: --workload, --backend,
// --variant, --size, ...
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "record/record.hpp"

namespace parlab {

// What is empty lets everything pass.
struct RecordFilter {
  std::set<std::string> workloads, backends, variants;
  // as typed, one option's worth: "4096", "1K:4K:*2", "300x1000"
  std::vector<std::string> sizes;
  std::set<Dtype> dtypes;
  std::set<Verdict> verdicts;
  bool failures = false;  // what failed() says yes to, beside the verdicts
  std::set<Cache> caches;
  std::set<InputKind> inputs;

  bool operator()(const Record& record) const;
};

// The options that say so.
Options filter_options();
// From the command line alone: what is stored does not change with the
// environment. Throws UsageError on words that cannot be.
RecordFilter filter_of(const Arguments& arguments);

}  // namespace parlab
