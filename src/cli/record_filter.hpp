// Selects stored records: --workload, --backend, --variant, --size, ...
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "record/record.hpp"

namespace parlab {

// An empty member lets everything pass.
struct RecordFilter {
  std::set<std::string> workloads, backends, variants;
  // as typed in one option: "4096", "1K:4K:*2", "300x1000"
  std::vector<std::string> sizes;
  std::set<Dtype> dtypes;
  std::set<Verdict> verdicts;
  bool failures = false;  // besides the verdicts, all that failed() accepts
  std::set<Cache> caches;
  std::set<InputKind> inputs;

  bool operator()(const Record& record) const;
};

// The options of the filter.
Options filter_options();
// Reads the command line only, since stored records do not depend on the
// environment. Throws UsageError on impossible words.
RecordFilter filter_of(const Arguments& arguments);
// Throws UsageError, whose text begins with the command, if none is accepted.
void require_some(const RecordFilter& filter,
                  const std::vector<Record>& records,
                  const std::string& command);

}  // namespace parlab
