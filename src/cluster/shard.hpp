// A plan cut into shards: parts that several jobs of a cluster measure.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <set>
#include <string>
#include <vector>

#include "sweep/plan.hpp"

namespace parlab {

// The third of twenty: {3, 20}.
struct Shard {
  std::size_t number = 1, count = 1;
};

// "3/20". name: for the error message, "--shard". Throws UsageError.
Shard parse_shard(const std::string& name, const std::string& text);

// All variants of one workload, size and dtype: they are compared, so a
// group is never divided.
struct Group {
  std::string name;  // "dmv 4096x4096 float"
  std::size_t measurements = 0;
  double seconds = 0;
};

std::string group_name(const Workload& workload, const Size& size, Dtype dtype);

// The groups of the estimates of one plan: a group whose points are all
// recorded is not among them.
std::vector<Group> groups_of(const Workload& workload,
                             const std::vector<Estimate>& estimates);

// As lines "name<TAB>measurements<TAB>seconds": what several plans wrote
// may be put into one file.
void write_groups(std::ostream& out, const std::vector<Group>& groups);
// Groups of one name are one. Throws UsageError that names
// the file and the line.
std::vector<Group> read_groups(const std::filesystem::path& path);

// Which groups belong to a shard. The longest first, each to the shard that
// has least to do (Graham, Bounds on multiprocessing timing anomalies, 1969):
// no shard then takes more than a third longer than in the best of all cuts.
// Every job that cuts the same groups gets the same shards.
std::set<std::string> groups_of_shard(std::vector<Group> groups,
                                      const Shard& shard);

// A group that was not among those that were cut (a node has a GPU more,
// say) has a shard too, the same wherever it is asked for.
bool falls_to(const std::string& group, const Shard& shard);

}  // namespace parlab
