// One machine's name, several hosts: whose times on the CPU stand together.
#pragma once

#include <vector>

#include "record/record.hpp"

namespace parlab {

// Virtual machines made from one image share a name, and the times of their
// CPUs do not compare. Of the records on a CPU, oldest first, those of a
// workload and type are left that were made on the host which has most points
// of it, of equals the one with the latest; and where it has none of the same
// source, those of the others.
void keep_to_main_hosts(std::vector<Record>& records);

}  // namespace parlab
