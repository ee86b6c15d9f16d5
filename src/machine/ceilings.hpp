// What a machine can reach at most, as measured.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace parlab {

// What Ceilings::fma calls the rate of products of doubles on tensor cores.
inline const std::string tensor_doubles = "double on tensor cores";

// Measured ceilings of one device. Bandwidth depends on the footprint: caches.
struct Ceilings {
  // footprint in bytes -> bytes/s, ascending; read: one pass; copy: read + written bytes
  std::vector<std::pair<double, double>> read, copy;
  // A dtype, or tensor_doubles where the device has them -> flop/s, a multiply-add counts two.
  std::map<std::string, double> fma;
  double launch_s = 0;  // an empty kernel between two events; 0 on the host
};

}  // namespace parlab
