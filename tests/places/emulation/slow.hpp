// Kernels that are correct but slow, each by one mistake.
#pragma once

#include <string>
#include <vector>

#include "places/emulation/planted.hpp"

namespace planted {

struct Slow {
  Case run;
  // parts of the first sentence that counters give; empty: nothing is wrong
  std::vector<std::string> says;
};
std::vector<Slow>& slow_kernels();

}  // namespace planted
