// Record files as the user names them.
#pragma once

#include <string>
#include <vector>

#include "record/store.hpp"

namespace parlab {

// The file or folder that is meant: the name itself, or results/NAME
// when only that exists.
std::string record_path(const std::string& name);
// What load_records() finds in all of them, together.
Loaded load_all(const std::vector<std::string>& paths);

}  // namespace parlab
