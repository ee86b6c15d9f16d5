// Computes the tables of an experiment, scripts/NAME/tables.sql, as values.
#pragma once

#include <string>

#include "facts/document.hpp"

namespace parlab {

// Runs the queries of a file on the experiment's database. A line "-- note:
// TEXT" is printed above the tables; one SELECT follows "-- table: TITLE"; "--
// " lines below continue either. A column "time [s]" has quantities of that
// unit, in SI units; columns "low" and "high" after it are the ends of its
// interval. Throws UsageError, or std::runtime_error if SQLite fails.
Document experiment_tables(const std::string& database,
                           const std::string& file);

}  // namespace parlab
