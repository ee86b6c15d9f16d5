// Transfers between emulated GPUs, correct ones and planted faults, and their
// memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "places/emulation/emulated_gpus.hpp"

namespace teams {

// On GPU i: n floats data[i] that all equal i + 1, as many unwritten ones in
// other[i], and as many in input[i], an input.
struct Bench {
  parlab::EmulatedGpus& team;
  parlab::OnEach<float> data, other, input;
  int n;
};

struct Case {
  std::string name;
  // the cause of its fault, with arguments; empty if it is correct
  std::string says;
  std::function<void(const Bench&)> run;
};

const std::vector<Case>& cases();

}  // namespace teams
