// Divides a plan into shards: parts that several jobs of a cluster measure.
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

// Parses "3/20". name: used in the error message, "--shard". Throws UsageError.
Shard parse_shard(const std::string& name, const std::string& text);

// All variants of one workload, size and dtype. They are compared with each
// other, so a group is never divided.
struct Group {
  std::string name;  // "dmv 4096x4096 float"
  std::size_t measurements = 0;
  double seconds = 0;
};

std::string group_name(const Workload& workload, const Size& size, Dtype dtype);

// The groups of a plan's estimates. A group whose points are all recorded is
// left out.
std::vector<Group> groups_of(const Workload& workload,
                             const std::vector<Estimate>& estimates);

// Writes lines "name<TAB>measurements<TAB>seconds". The output of several plans
// may be put into one file.
void write_groups(std::ostream& out, const std::vector<Group>& groups);
// Groups with the same name are merged. Throws UsageError that names the file
// and the line.
std::vector<Group> read_groups(const std::filesystem::path& path);

// The names of the groups in a shard. The longest groups come first, each for
// the shard that has the least work (Graham, Bounds on multiprocessing timing
// anomalies, 1969). So no shard takes more than a third longer than in the best
// possible division. Every job that divides the same groups gets the same
// shards.
std::set<std::string> groups_of_shard(std::vector<Group> groups,
                                      const Shard& shard);

// Whether this shard gets a group that was not among the divided ones (for
// example because a node has an additional GPU). The answer is the same
// wherever it is asked for.
bool falls_to(const std::string& group, const Shard& shard);

}  // namespace parlab
