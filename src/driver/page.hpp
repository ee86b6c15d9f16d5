// `parlab page`: stored records as a page, or as an index of several machines.
#pragma once

#include <string>
#include <vector>

namespace parlab {

struct PageRequest {
  std::string folder;   // results/MACHINE
  std::string figures;  // plots/MACHINE
  std::string output;   // the file to write
};

// Writes the file as a whole or not at all, and makes its folder. Returns the warnings. Throws
// UsageError when the records cannot be read, std::runtime_error when the file cannot be written.
std::vector<std::string> write_page(const PageRequest& request);

}  // namespace parlab
