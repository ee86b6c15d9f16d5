// Record files as the user names them.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "record/store.hpp"

namespace parlab {

// The file or folder that is meant: the name itself, or results/NAME
// when only that exists.
std::string record_path(const std::string& name);
// What load_records() finds in all of them, together.
Loaded load_all(const std::vector<std::string>& paths);
// Throws UsageError, with this before it, when the records are of several
// machines.
void require_one_machine(const std::vector<Record>& records,
                         const std::string& what);
// The records that a command line names; without any, all of results/.
Loaded load_asked_for(const Arguments& arguments);

}  // namespace parlab
