// Several hosts may share a machine's name. Chooses the host whose CPU times
// are shown together.

#include <map>
#include <set>
#include <string>

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
  auto most = hosts.begin();
  for (auto host = hosts.begin(); host != hosts.end(); ++host) {
    const auto rank = [](const PointsOfHost& h) {
      return std::pair(h.points.size(), h.last);
    };
    if (rank(host->second) > rank(most->second)) most = host;
  }
  return most->first;
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

}  // namespace parlab
