// `parlab machine`: what this machine is and can.
#pragma once

#include <iosfwd>
#include <string>

namespace parlab {

// Name, versions and measured ceilings of host and device.
void print_machine(std::ostream& out, const std::string& command);

}  // namespace parlab
