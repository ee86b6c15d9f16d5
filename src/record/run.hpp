// Provenance of one invocation: which machine, which version of the code, which command.
#pragma once

#include <string>

#include "machine/ceilings.hpp"

namespace parlab {

struct Run {
  std::string id;                     // unique
  std::string date, command, commit;  // commit has "+changes" when the tree was not clean
  std::string machine;                // slug: "nvidia-h200", names folders
  std::string gpu, driver, cuda;      // empty without a GPU
  std::string cpu, compiler, flags;
  int cores = 0;
  double memory_bytes = 0;
  int others_at_work = 0;  // threads of other processes, when a run that times the CPU began
  Ceilings host, device;
};

// Everything about this invocation but its ceilings. gpu: the device's name, "NVIDIA H200", empty
// without one; driver, cuda: their versions.
Run describe_run(const std::string& command, const std::string& gpu = {},
                 const std::string& driver = {}, const std::string& cuda = {});

}  // namespace parlab
