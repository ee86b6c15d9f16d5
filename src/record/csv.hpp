// Records as a table for other programs.
#pragma once

#include <functional>
#include <iosfwd>

#include "record/store.hpp"

namespace parlab {

// Tidy CSV: one row per record of latest(), header first, '.' decimals, SI base units; one column
// for each dimension (rows, cols), tunable (block, threads) and counter; what is not known is
// empty. For gnuplot, sqlite and spreadsheets. keep: which records get a row, all when empty;
// speedups are over the serial record in either case.
void write_csv(std::ostream& out, Loaded loaded,
               const std::function<bool(const Record&)>& keep = {});

}  // namespace parlab
