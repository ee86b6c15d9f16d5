#include "cluster/shard.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <sstream>

#include "core/file.hpp"
#include "core/text.hpp"
#include "core/variant.hpp"

namespace parlab {
namespace {

// A count of at least 1; 0 if the text is not one.
std::size_t count_of(const std::string& text) {
  if (text.empty() || text.size() > 6) return 0;
  if (text.find_first_not_of("0123456789") != text.npos) return 0;
  return std::stoul(text);
}

// FNV-1a, which is the same on every machine, unlike std::hash.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

}  // namespace

Shard parse_shard(const std::string& name, const std::string& text) {
  const auto parts = split(text, '/');
  const Shard shard{count_of(parts[0]),
                    parts.size() == 2 ? count_of(parts[1]) : 0};
  if (shard.number == 0 || shard.count == 0 || shard.number > shard.count) {
    throw UsageError(as_written(name, text) +
                     ": a shard is NUMBER/COUNT, from 1/20 to 20/20");
  }
  return shard;
}

std::string group_name(const Workload& workload, const Size& size,
                       Dtype dtype) {
  std::string name(workload.name());
  name += " " + size_text(workload, size) + " ";
  name += to_string(dtype);
  return name;
}

std::vector<Group> groups_of(const Workload& workload,
                             const std::vector<Estimate>& estimates) {
  std::vector<Group> groups;
  for (const auto& estimate : estimates) {
    if (estimate.measurements == 0) continue;
    groups.push_back({group_name(workload, estimate.size, estimate.dtype),
                      estimate.measurements, estimate.seconds});
  }
  return groups;
}

void write_groups(std::ostream& out, const std::vector<Group>& groups) {
  for (const auto& group : groups) {
    out << group.name << '\t' << group.measurements << '\t' << group.seconds
        << '\n';
  }
}

std::vector<Group> read_groups(const std::filesystem::path& path) {
  std::istringstream in(read_text(path, "the plan"));
  std::map<std::string, Group> groups;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    const auto fields = split(line, '\t');
    Group group{fields[0]};
    std::istringstream numbers(fields.size() == 3 ? fields[1] + " " + fields[2]
                                                  : "");
    if (fields[0].empty() ||
        !(numbers >> group.measurements >> group.seconds)) {
      throw UsageError(
          path.string() + ":" + std::to_string(number) +
          ": not a line of a plan as 'parlab ... --estimate' prints it");
    }
    Group& sum = groups.emplace(group.name, Group{group.name}).first->second;
    sum.measurements += group.measurements;
    sum.seconds += group.seconds;
  }
  std::vector<Group> all;
  for (const auto& [name, group] : groups)
    all.push_back(group);
  return all;
}

std::set<std::string> groups_of_shard(std::vector<Group> groups,
                                      const Shard& shard) {
  // Equal times are ordered by name, because the order must not depend on the
  // input's.
  std::ranges::sort(groups, [](const Group& a, const Group& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.name < b.name;
  });
  std::vector<double> load(shard.count, 0.0);
  std::set<std::string> ours;
  for (const auto& group : groups) {
    const auto least = std::ranges::min_element(load);
    *least += group.seconds;
    if (least == load.begin() + static_cast<std::ptrdiff_t>(shard.number - 1))
      ours.insert(group.name);
  }
  return ours;
}

bool falls_to(const std::string& group, const Shard& shard) {
  return hash_of(group) % shard.count == shard.number - 1;
}

}  // namespace parlab
