// The most that a machine reaches, as measured.
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

// Measured ceilings of one device: the best of several ways. Bandwidth
// depends on the footprint: caches.
struct Ceilings {
  // footprint in bytes -> bytes/s, ascending; read: one pass;
  // copy: read + written bytes
  std::vector<std::pair<double, double>> read = {}, copy = {};
  // unit (core/units.hpp) -> flop/s, a multiply-add counts two
  std::map<std::string, double> units = {};
  // Bytes/s. Between the GPUs of the machine: "one way" and "both ways" from
  // the first to the second, "all-reduce over 2" of so many GPUs (the bytes of
  // the result in that time). Between pinned memory of the host and this GPU:
  // link_from_host, link_to_host, and both at once. Empty: not measured.
  std::map<std::string, double> links = {};
  double launch_s = 0;  // an empty kernel between two events; 0 on the host
  // How far the medians of runs of one binary differ. 0: not measured.
  BetweenRuns between_runs = {};
  // Which way was the best, in words, by curve_point() and by unit.
  std::map<std::string, std::string> ways = {};
};

// Names of Ceilings::links.
inline constexpr const char *link_between_gpus = "one way",
                            *link_from_host = "from the host",
                            *link_to_host = "to the host",
                            *link_from_and_to_host = "from and to the host";

// The peak of a unit, which may compute integers.
Quantity peak_rate(const std::string& unit, double per_second);

// "copy 65536"
std::string curve_point(const std::string& curve, double bytes);

// The ceilings to measure: all, or those that some problems need.
struct WantedCeilings {
  double least_bytes = 0, most_bytes = std::numeric_limits<double>::infinity();
  std::set<std::string> units = {};  // none: all

  bool all() const { return units.empty(); }
  bool unit(const std::string& name) const {
    return all() || units.count(name) > 0;
  }
  void include(const WantedCeilings& other);
  bool footprint(double bytes) const {
    return least_bytes <= bytes && bytes <= most_bytes;
  }
};

// The better value of two measurements of one device: a rate that was reached
// can be reached. A value that only one has is kept; launch_s and between_runs
// are those of the second where it has them.
Ceilings best_of(const Ceilings& a, const Ceilings& b);

// Assumed where it was not measured: what 53 points differed by that were
// measured in two to four runs on an H200 (38 points) and on the 16 shared
// cores of its host (15 points), root mean square; and 81 points of 5 us and
// more in five runs on an H200, of which those below 15 us differed more.
inline constexpr BetweenRuns usual_between_runs_of_gpu{0.005, 1e-7};
inline constexpr BetweenRuns usual_between_runs_of_host{0.04, 0};

}  // namespace parlab
