#include "cluster/spread.hpp"

#include <algorithm>

namespace parlab {
namespace {

// Hosts without a name are told apart by the beginning of their host id.
std::string device_of(const Record& record,
                      const std::map<std::string, Run>& runs) {
  const auto run = runs.find(record.run);
  std::string name = run == runs.end() ? "" : run->second.node;
  if (name.empty()) name = "host " + record.host_id.substr(0, 8);
  return record.gpu.empty() ? name : name + " " + record.gpu;
}

// For an even number of devices, the faster of the two in the middle.
double middle(const std::map<std::string, const Record*>& devices) {
  std::vector<double> medians;
  for (const auto& [name, record] : devices)
    medians.push_back(record->summary().median);
  std::ranges::sort(medians);
  return medians[(medians.size() - 1) / 2];
}

}  // namespace

std::vector<Spread> device_spread(const std::vector<Record>& records,
                                  const std::map<std::string, Run>& runs) {
  // by name; the last record of each device
  using Devices = std::map<std::string, const Record*>;
  std::map<std::pair<std::string, std::string>, Devices> points;
  for (const auto& record : records) {
    if (!record.timed()) continue;
    points[{record.point(), record.full_name()}][device_of(record, runs)] =
        &record;
  }
  std::vector<Spread> spreads;
  for (const auto& [point, devices] : points) {
    if (devices.size() < 2) continue;
    Spread& spread =
        spreads.emplace_back(Spread{point.first, point.second, {}});
    const double usual = middle(devices);
    for (const auto& [name, record] : devices) {
      const auto summary = record->summary();
      DeviceTime time;
      time.device = name;
      time.seconds = summary.median;
      time.slower = summary.median / usual;
      time.ratio = {summary.interval.low / usual,
                    summary.interval.high / usual};
      time.slow = time.ratio.low > 1 + slow_device;
      spread.devices.push_back(time);
    }
    std::ranges::stable_sort(spread.devices, [](const auto& a, const auto& b) {
      return a.slower > b.slower;
    });
  }
  return spreads;
}

}  // namespace parlab
