#include "commands/shard.hpp"

#include <algorithm>
#include <ostream>
#include <set>

#include "cluster/merge.hpp"
#include "cluster/shard.hpp"
#include "sweep/estimate.hpp"

namespace parlab {
namespace {

// The groups that all shards together measure. Those of the plan itself
// are counted as if nothing were recorded: every job must cut the same
// ones, whenever it starts.
std::vector<Group> groups_to_cut(const Request& request, Observer& observer) {
  if (!request.shards_of.empty()) return read_groups(request.shards_of);
  Plan plan = request.plan;
  plan.results.clear();
  plan.resume.clear();
  return groups_of(*plan.workload, estimate_sweep(plan, observer));
}

}  // namespace

void print_estimate(const Plan& plan, Observer& observer, std::ostream& out) {
  write_groups(out, groups_of(*plan.workload, estimate_sweep(plan, observer)));
}

std::function<bool(const Size&, Dtype)> wanted_by_shard(const Request& request,
                                                        Observer& observer) {
  const auto groups = groups_to_cut(request, observer);
  std::set<std::string> known;
  for (const auto& group : groups)
    known.insert(group.name);
  return [known, ours = groups_of_shard(groups, *request.shard),
          shard = *request.shard,
          workload = request.plan.workload](const Size& size, Dtype dtype) {
    const auto name = group_name(*workload, size, dtype);
    return known.count(name) > 0 ? ours.count(name) > 0 : falls_to(name, shard);
  };
}

std::vector<std::string> merge_shards(const std::vector<std::string>& paths,
                                      std::ostream& out) {
  const auto merged =
      merge_records(paths.at(0), {paths.begin() + 1, paths.end()});
  out << merged.records << " records into " << paths.at(0) << '\n';
  return merged.warnings;
}

}  // namespace parlab
