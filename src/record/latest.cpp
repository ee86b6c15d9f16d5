// Which of many records count.
#include <algorithm>
#include <functional>
#include <set>
#include <unordered_set>

#include "core/parallel.hpp"
#include "record/store.hpp"

namespace parlab {
namespace {

bool is_of_known_host(const Record& record) {
  return record.timed() && !record.on_gpu() && !record.gpus_of_host.empty();
}

// Names the set of records that are compared with each other.
std::string series_of(const Record& record) {
  return record.machine + " " + record.host_id + " " + record.workload + " " +
         std::string(to_string(record.dtype));
}

struct PointsOfHost {
  std::set<std::string> points;
  std::size_t last = 0;  // index of its last record
};
// by the GPUs of the host
using PointsOfHosts = std::map<std::string, PointsOfHost>;

const std::string& main_host_of(const PointsOfHosts& hosts) {
  const auto rank = [](const auto& host) {
    return std::pair(host.second.points.size(), host.second.last);
  };
  return std::ranges::max_element(hosts, {}, rank)->first;
}

// The last record of each identity. replaced is called with it and each earlier
// one, newest first.
template <typename F>
std::vector<Record> last_of_each(std::vector<Record> records, F replaced) {
  const auto name = [&](std::size_t i) {
    return records[i].machine + " " + records[i].identity();
  };
  // Only hashes of the names are kept; many names would take a tenth of the
  // records' memory.
  std::vector<std::size_t> hashes(records.size());
  on_all_cores(records.size(), [&](std::size_t i) {
    hashes[i] = std::hash<std::string>()(name(i));
  });
  const auto hash = [&](std::size_t i) { return hashes[i]; };
  const auto equal = [&](std::size_t i, std::size_t j) {
    return hashes[i] == hashes[j] && name(i) == name(j);
  };
  std::unordered_set<std::size_t, decltype(hash), decltype(equal)> seen(0, hash,
                                                                        equal);
  std::vector<bool> superseded(records.size());
  for (std::size_t i = records.size(); i-- > 0;) {
    const auto [last, is_last] = seen.insert(i);
    superseded[i] = !is_last;
    if (!is_last) replaced(records[*last], records[i]);
  }
  // Erases in place, because a second copy of a large file would need too much
  // memory.
  const Record* first = records.data();
  std::erase_if(records, [&](const Record& record) {
    return superseded[&record - first];
  });
  return records;
}

void take_what_is_seldom_measured(Record& last, Record& before) {
  if (!last.timed() || last.source_hash != before.source_hash) return;
  if (!last.energy && before.has_energy())
    last.energy = std::move(before.energy);
  if (last.counters.empty()) last.counters = std::move(before.counters);
}

// The ceilings of a host, and those of a machine's GPUs, are measured more than
// once, and the best counts, unless they were measured beside the samples.
void share_roofs(std::vector<Record>& records) {
  std::map<std::string, double> least;
  const auto point = [](const Record& record) {
    const auto where =
        record.on_gpu()
            ? std::to_string(record.tunables.value_or("gpus", 1)) + " GPUs"
            : record.host_id + " " + record.gpus_of_host;
    return record.machine + " " + where + " " + record.point() + " " +
           record.unit + " " + std::string(to_string(record.arithmetic)) +
           (record.from_host ? " from host" : "");
  };
  const auto has_one = [](const Record& record) {
    return record.timed() && record.roof_s > 0 && record.slowest_roof_s == 0;
  };
  for (const auto& record : records) {
    if (!has_one(record)) continue;
    auto& roof = least.emplace(point(record), record.roof_s).first->second;
    roof = std::min(roof, record.roof_s);
  }
  for (auto& record : records) {
    if (has_one(record)) record.roof_s = least.at(point(record));
  }
}

// Settled records are not measured again; all other failures are tried anew.
bool is_settled(const Record& record) {
  if (record.verdict == Verdict::not_supported)
    return record.library.empty() || !library_is_there(record.library);
  return record.verdict == Verdict::timed_out ||
         (record.verdict == Verdict::passed &&
          (record.timed() || record.emulated));
}

}  // namespace

void keep_to_main_hosts(std::vector<Record>& records) {
  std::map<std::string, PointsOfHosts> series;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!is_of_known_host(records[i])) continue;
    PointsOfHost& host = series[series_of(records[i])][records[i].gpus_of_host];
    host.points.insert(records[i].identity());
    host.last = i;
  }
  std::erase_if(series, [](const auto& s) { return s.second.size() < 2; });
  if (series.empty()) return;

  std::map<std::string, std::string> main;
  for (const auto& [name, hosts] : series)
    main.emplace(name, main_host_of(hosts));
  const auto contested = [&](const Record& record) {
    return is_of_known_host(record) && main.count(series_of(record)) != 0;
  };
  const auto on_main_host = [&](const Record& record) {
    return main.at(series_of(record)) == record.gpus_of_host;
  };
  const auto point_of = [](const Record& record) {
    return record.machine + " " + record.host_id + " " + record.identity();
  };
  // source hashes of the main host's points
  std::map<std::string, std::string> sources;
  for (const auto& record : records) {
    if (contested(record) && on_main_host(record))
      sources[point_of(record)] = record.source_hash;
  }
  std::erase_if(records, [&](const Record& record) {
    if (!contested(record) || on_main_host(record)) return false;
    const auto source = sources.find(point_of(record));
    return source != sources.end() && source->second == record.source_hash;
  });
}

std::vector<Record> latest(std::vector<Record> records) {
  keep_to_main_hosts(records);
  auto last = last_of_each(std::move(records), take_what_is_seldom_measured);
  share_roofs(last);
  return last;
}

std::map<std::string, Record> settled(Loaded loaded, const Run& run,
                                      bool any_host) {
  std::map<std::string, Record> by_key;
  // Joules from another host's GPU are no reason to skip them here.
  const auto as_it_is = [](const Record&, const Record&) {};
  for (auto& record : last_of_each(std::move(loaded.records), as_it_is)) {
    const auto& then = loaded.runs.at(record.run);
    const bool on_gpu = !record.gpu.empty();
    const bool alike = any_host ? !then.host_id.empty() &&
                                      then.machine == run.machine &&
                                      same_build(then, run, on_gpu)
                                : same_conditions(then, run, on_gpu);
    if (!alike || !is_settled(record)) continue;
    auto key = record.key();
    by_key.emplace(std::move(key), std::move(record));
  }
  return by_key;
}

}  // namespace parlab
