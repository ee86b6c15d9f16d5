// Records as a table for other programs.
#pragma once

#include <functional>
#include <iosfwd>

#include "record/store.hpp"

namespace parlab {

// The table of record/table.hpp as tidy CSV, header first. For
// spreadsheets and scripts.
void write_csv(std::ostream& out,
               Loaded loaded,
               const std::function<bool(const Record&)>& keep = {});

}  // namespace parlab
