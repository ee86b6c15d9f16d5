// Record files as the user names them.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "record/store.hpp"

namespace parlab {

// The file or folder: the name itself, or results/NAME if only that exists.
std::string record_path(const std::string& name);
// The result of load_records() for all of them together. Throws UsageError for
// one that has neither a run nor a record.
Loaded load_all(const std::vector<std::string>& paths);
// Throws UsageError, whose text begins with `what`, if the records are from
// several machines.
void require_one_machine(const std::vector<Record>& records,
                         const std::string& what);
// The records that the command line names; without any, all of results/.
Loaded load_asked_for(const Arguments& arguments);

}  // namespace parlab
