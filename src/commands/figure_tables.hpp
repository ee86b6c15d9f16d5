// The tables that every database for figures has.
#pragma once

#include "commands/sqlite.hpp"

namespace parlab {

// The names of all workloads, of their parameters, and of all variants in the
// order of their ladders, measured or not. The position of a variant sets its
// look in all figures.
void add_names(Database& database);

}  // namespace parlab
