// What a machine can reach at most, as measured.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace parlab {

// Measured ceilings of one device. Bandwidth depends on the footprint: caches.
struct Ceilings {
  // footprint in bytes -> bytes/s, ascending; read: one pass; copy: read + written bytes
  std::vector<std::pair<double, double>> read, copy;
  // unit (core/units.hpp) -> flop/s, a multiply-add counts two
  std::map<std::string, double> units;
  double launch_s = 0;  // an empty kernel between two events; 0 on the host
};

}  // namespace parlab
