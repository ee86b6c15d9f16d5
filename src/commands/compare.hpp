// Two sets of records, compared point by point, as output.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/record_filter.hpp"
#include "compare/compare.hpp"

namespace parlab {

struct CompareRequest {
  // record files, folders, or machines under results/
  std::string before, after;
  CompareRules rules;
  // 0.05: a slower point whose ratio is 1.05 or more
  std::optional<double> fail_if_slower;
  RecordFilter filter;
  std::string format = "table";  // table, csv or json
};

struct CompareOutcome {
  // By fail_if_slower: a point is slower by that much or failed, its
  // device is gone, or nothing was compared.
  bool fails = false;
  std::vector<std::string> warnings;
};

// Writes the points in the order in which they matter and a summary. The
// table leaves out points that are the same and all but a few undecided
// ones; csv and json have all of them. Throws UsageError when a side has
// no records, or those of several machines, and when fail_if_slower asks
// for less than the runs can tell.
CompareOutcome print_comparison(const CompareRequest& request,
                                std::ostream& out);

}  // namespace parlab
