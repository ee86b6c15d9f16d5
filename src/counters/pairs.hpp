// The same counters of the same configuration, counted by emulation and by a
// GPU.
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

  // They differ by so much of what the GPU counts; 1: one of them is 0.
  double apart() const;
  bool agrees() const { return apart() <= 0.01; }
};

// Pairs all counters that both sides know, but for those that are 0 on both.
// Emulation does not see whether the result of an atomic is used: on the GPU
// atomics are summed with reductions.
std::vector<CounterPair> pairs_of(const std::map<std::string, double>& emulated,
                                  const std::map<std::string, double>& on_gpu);

// The GPU that gave the record its counters.
GpuShape shape_of_gpu(const Record& record);

}  // namespace parlab
