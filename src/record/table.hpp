// Records as a table: what the CSV and the database of the figures have in common.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "record/store.hpp"

namespace parlab {

struct Table {
  struct Column {
    std::string name;
    bool is_text;  // never a number, even if it looks like one: a commit such as 12e4
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // a cell that is not known is empty
};

// One row per record of latest(); '.' decimals, SI base units; one column for each dimension (rows,
// cols), tunable (block, threads) and counter. keep: which records get a row, all when empty;
// speedups are over the serial record in either case.
Table table_of(Loaded loaded, const std::function<bool(const Record&)>& keep = {});

}  // namespace parlab
