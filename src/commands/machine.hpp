// `parlab machine`: what this machine is and can.
#pragma once

#include <iosfwd>
#include <string>

namespace parlab {

// The name that it shares with machines of the same GPU, or CPU.
void print_kind(std::ostream& out);

struct MachineRequest {
  std::string command;       // as typed
  std::string machine = {};  // its name, when it was given one
  bool measure = false;  // its ceilings, and what runs differ by, and keep them
  bool name_alone = false;
};

// Name, versions, and the ceilings that are kept in results/MACHINE.
void print_machine(std::ostream& out, const MachineRequest& request);

}  // namespace parlab
