// `parlab machine`: what this machine is and can.
#pragma once

#include <iosfwd>
#include <string>

namespace parlab {

// Name, versions and measured ceilings of host and device.
// The name that it shares with machines of the same GPU, or CPU.
void print_kind(std::ostream& out);

// Measures the ceilings of all places.
void print_machine(std::ostream& out, const std::string& command);

}  // namespace parlab
