// How far the devices of a cluster differ, by control points that each of them
// measured.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "record/record.hpp"

namespace parlab {

// Stem of the record file for the control points of a machine:
// results/MACHINE/device-spread.jsonl.
inline constexpr std::string_view control_records = "device-spread";

// The last time of one device at one control point.
struct DeviceTime {
  std::string device;  // its node and, for a GPU, its UUID
  double seconds = 0;  // median
  Interval ratio;      // its time over that of the median device, 95 %
  double slower = 1;   // the same as one number
  // Whether its whole interval lies this far above the median device: see
  // slow_device.
  bool slow = false;
};

// A device this much slower than the median one deserves a look. That is more
// than the same GPU differs from run to run, and less than the 22 % found
// within one model (Sinha et al., Not all GPUs are created equal, SC 2022).
inline constexpr double slow_device = 0.05;

struct Spread {
  std::string point, variant;
  std::vector<DeviceTime> devices;  // the slowest first
};

// One for each variant and point that several devices measured, sorted by name.
std::vector<Spread> device_spread(const std::vector<Record>& records,
                                  const std::map<std::string, Run>& runs);

}  // namespace parlab
