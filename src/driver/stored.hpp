// What was measured earlier, and the machine itself, as output.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace parlab {

// The points of record files, each as it was printed when measured. Returns the warnings.
std::vector<std::string> show_records(const std::vector<std::string>& paths,
                                      const std::string& format, std::ostream& out);
// All records as tidy CSV. Returns the warnings.
std::vector<std::string> export_records(const std::vector<std::string>& paths, std::ostream& out);

// Name, versions and measured ceilings of host and device.
void print_machine(std::ostream& out, const std::string& command);

}  // namespace parlab
