// Pairs the counters of one configuration from emulation with those from a GPU.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "places/counted.hpp"
#include "record/record.hpp"

namespace parlab {

struct CounterPair {
  std::string counter;  // "global_load_sectors"
  double emulated = 0, on_gpu = 0;

  // The difference as a share of the GPU's count; 1 if one of them is 0.
  double apart() const;
  bool agrees() const { return apart() <= 0.01; }
};

// Pairs all counters that both sides have, except those that are 0 on both.
// Emulation does not see whether the result of an atomic is used, so the GPU's
// atomics and reductions are added up.
std::vector<CounterPair> pairs_of(const std::map<std::string, double>& emulated,
                                  const std::map<std::string, double>& on_gpu);

// The shape of the GPU that gave the record its counters.
GpuShape shape_of_gpu(const Record& record);

}  // namespace parlab
