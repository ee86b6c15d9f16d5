// Transfers between emulated GPUs, right ones and planted faults, and
// the memory they work on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "places/emulation/emulated_gpus.hpp"

namespace teams {

// On GPU i: n floats data[i] that are all i + 1, as many in other[i] that
// nothing has written, and as many in input[i], an input.
struct Bench {
  parlab::EmulatedGpus& team;
  parlab::OnEach<float> data, other, input;
  int n;
};

struct Case {
  std::string name;
  // the cause of its fault, with arguments; empty when it is right
  std::string says;
  std::function<void(const Bench&)> run;
};

const std::vector<Case>& cases();

}  // namespace teams
