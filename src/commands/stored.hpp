// What was measured earlier, and the machine itself, as output.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "record/store.hpp"

namespace parlab {

// The file or folder that is meant: the name itself, or results/NAME when only that exists.
std::string record_path(const std::string& name);
// What load_records() finds in all of them, together.
Loaded load_all(const std::vector<std::string>& paths);

// All records as tidy CSV. Returns the warnings.
std::vector<std::string> export_records(const std::vector<std::string>& paths, std::ostream& out);

// Name, versions and measured ceilings of host and device.
void print_machine(std::ostream& out, const std::string& command);

}  // namespace parlab
