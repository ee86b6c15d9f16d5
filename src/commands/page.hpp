// `parlab page` and `parlab index`: stored records as a page, or as an
// index of several machines.
#pragma once

#include <string>
#include <vector>

#include "cli/request.hpp"

namespace parlab {

// Writes the file as a whole or not at all, and makes its folder. Returns
// the warnings. Throws UsageError when the records cannot be read,
// std::runtime_error when the file cannot be written.
std::vector<std::string> write_page(const PageRequest& request);

// The same for the index of these machines.
std::vector<std::string> write_index(const PageRequest& request);

}  // namespace parlab
