// How far the devices of a cluster differ: from control points, which
// each of them measured.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "record/record.hpp"

namespace parlab {

// The record file of the control points of a machine:
// results/MACHINE/device-spread.jsonl.
inline constexpr std::string_view control_records = "device-spread";

// The last time of one device at one control point.
struct DeviceTime {
  std::string device;  // its node and, of a GPU, its UUID
  double seconds = 0;  // median
  Interval ratio;     // of its time over that of the device in the middle, 95 %
  double slower = 1;  // the same as one number
  // Its whole interval lies this far above the device in the
  // middle: see slow_device.
  bool slow = false;
};

// A device this much slower than the one in the middle is worth a look: more
// than the same GPU differs from run to run, less than the 22 % found within
// one type (Sinha et al., Not all GPUs are created equal, SC 2022).
inline constexpr double slow_device = 0.05;

struct Spread {
  std::string point, variant;
  std::vector<DeviceTime> devices;  // the slowest first
};

// One for each variant and point that more than one device measured,
// in order of their names.
std::vector<Spread> device_spread(const std::vector<Record>& records,
                                  const std::map<std::string, Run>& runs);

}  // namespace parlab
