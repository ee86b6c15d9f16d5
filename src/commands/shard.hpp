// Plans in shards: what there is to measure, which part of it is one
// job's, and all parts together.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/request.hpp"

namespace parlab {

// The groups of the plan that are not recorded yet, as
// read_groups() reads them.
void print_estimate(const Plan& plan, Observer& observer, std::ostream& out);

// Plan::wanted for the shard that was asked for.
std::function<bool(const Size&, Dtype)> wanted_by_shard(const Request& request,
                                                        Observer& observer);

// paths: the file to append to, then those that go into
// it. Returns the warnings.
std::vector<std::string> merge_shards(const std::vector<std::string>& paths,
                                      std::ostream& out);

}  // namespace parlab
