// The tables of an experiment, scripts/NAME/tables.sql, as values.
#pragma once

#include <string>

#include "facts/document.hpp"

namespace parlab {

// The answers of the experiment's database to the questions of a file. A line
// "-- note: TEXT" is said above the tables; behind "-- table: TITLE" stands one
// SELECT; both go on in the "-- " lines below them. A column "time [s]" has
// quantities of that unit, in SI units; columns "low" and "high" behind it are
// the ends of its interval. Throws UsageError, or std::runtime_error when
// SQLite fails.
Document experiment_tables(const std::string& database,
                           const std::string& file);

}  // namespace parlab
