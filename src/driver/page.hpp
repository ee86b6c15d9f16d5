// `parlab page` and `parlab index`: stored records as a page, or as an index of several machines.
#pragma once

#include <string>
#include <vector>

namespace parlab {

struct PageRequest {
  std::vector<std::string> folders;  // results/MACHINE; of a page one, of an index any number
  std::string figures;               // plots/MACHINE
  std::string output;                // the file to write
};

// Writes the file as a whole or not at all, and makes its folder. Returns the warnings. Throws
// UsageError when the records cannot be read, std::runtime_error when the file cannot be written.
std::vector<std::string> write_page(const PageRequest& request);

// The same for the index of these machines.
std::vector<std::string> write_index(const PageRequest& request);

}  // namespace parlab
