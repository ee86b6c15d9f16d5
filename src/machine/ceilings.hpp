// The highest rates that a machine reaches, as measured.
#pragma once

#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "facts/quantity.hpp"
#include "statistics/between_runs.hpp"

namespace parlab {

// Measured ceilings of one device, the best of several methods. Bandwidth
// depends on the footprint because of caches.
struct Ceilings {
  // footprint in bytes -> bytes/s, ascending; read: one pass; copy: bytes read
  // + bytes written
  std::vector<std::pair<double, double>> read = {}, copy = {};
  // unit (core/variant.hpp) -> flop/s; a multiply-add counts as two
  std::map<std::string, double> units = {};
  // Bytes/s. Between the GPUs of the machine: "one way" and "both ways" between
  // the first two; "all-reduce over 2" for a team of that many (bytes of the
  // result per second). Between pinned host memory and this GPU:
  // link_from_host, link_to_host, and both at once. Empty: not measured.
  std::map<std::string, double> links = {};
  // time of an empty kernel between two events; 0 on the host
  double launch_s = 0;
  // How far the medians of several runs of one binary differ. 0: not measured.
  BetweenRuns between_runs = {};
  // Name of the best method, by curve_point() and by unit.
  std::map<std::string, std::string> ways = {};
};

// Names of Ceilings::links.
inline constexpr const char *link_between_gpus = "one way",
                            *link_from_host = "from the host",
                            *link_to_host = "to the host",
                            *link_from_and_to_host = "from and to the host";

// The peak of a unit, which may compute integers.
Quantity peak_rate(const std::string& unit, double per_second);

// For the largest footprint, read or copied; bytes per second; 0: not measured.
double memory_bandwidth(const Ceilings& ceilings);

// "copy 65536"
std::string curve_point(const std::string& curve, double bytes);

// The ceilings to measure: all, or those that some problems need. brief: one
// short pass at exactly most_bytes (0: not of memory) and of these units only.
struct WantedCeilings {
  double least_bytes = 0, most_bytes = std::numeric_limits<double>::infinity();
  std::set<std::string> units = {};  // empty: all, unless it is brief
  bool brief = false;

  bool all() const { return units.empty() && !brief; }
  bool unit(const std::string& name) const {
    return all() || units.count(name) > 0;
  }
  void include(const WantedCeilings& other);
  bool footprint(double bytes) const {
    return least_bytes <= bytes && bytes <= most_bytes;
  }
};

// The better values of two measurements of one device, because a rate that was
// once reached can be reached. A value that only one of them has is kept.
// launch_s and between_runs are taken from the second if it has them.
Ceilings best_of(const Ceilings& a, const Ceilings& b);

// Assumed where it was not measured. The values are the root mean square of the
// differences between two to four runs, for 38 points on an H200 and 15 points
// on the 16 shared cores of its host. For the GPU, 81 points of 5 us and more
// in five runs on an H200 were used, too; those below 15 us differed more.
inline constexpr BetweenRuns usual_between_runs_of_gpu{0.005, 1e-7};
inline constexpr BetweenRuns usual_between_runs_of_host{0.04, 0};

}  // namespace parlab
