// The tables of every database that figures are drawn from.
#pragma once

#include "commands/sqlite.hpp"

namespace parlab {

// The names of all workloads, and of all variants in the order of their
// ladders, measured or not: each has its look in all figures by its place.
void add_names(Database& database);

}  // namespace parlab
