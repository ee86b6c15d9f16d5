// The database that figures and tables are drawn from: made
// from records, and asked.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/request.hpp"

namespace parlab {

// Tables: records, with the columns of `parlab export` and those that
// any variant or counter could have filled, workloads, with the name of each,
// and published_NAME for each results/published/NAME.csv, with _ for -. What
// is empty is NULL. Views and queries have ratio(), ratio_low() and
// ratio_high() of two records: see the source. Returns the warnings. Throws
// UsageError when records or views cannot be read, std::runtime_error when
// SQLite fails or is not built in.
std::vector<std::string> make_database(const DatabaseRequest& request);

// Prints what one SELECT finds: a line per row, its cells separated by
// tabs, or, aligned, below their titles. values: bound to ?1, ?2 ...: text
// that is no part of the SQL. Throws likewise.
void query_database(const std::string& database,
                    const std::string& sql,
                    const std::vector<std::string>& values,
                    bool aligned,
                    std::ostream& out);

}  // namespace parlab
