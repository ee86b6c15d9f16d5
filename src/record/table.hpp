// Records as a table: what the CSV and the database of the figures have in common.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "record/store.hpp"

namespace parlab {

struct TableColumn {
  std::string name;
  bool is_text;  // never a number, even if it looks like one: a commit such as 12e4
};

// One row per record of latest(); '.' decimals, SI base units; one column for each dimension (rows,
// cols), tunable (block, threads) and counter; a cell that is not known is empty. Rows are made as
// they are asked for: those of many records would need more memory than the records.
class RecordTable {
 public:
  // keep: which records get a row, all when empty; speedups are over the serial record in either
  // case.
  explicit RecordTable(Loaded loaded, const std::function<bool(const Record&)>& keep = {});
  ~RecordTable();
  RecordTable(const RecordTable&) = delete;
  RecordTable& operator=(const RecordTable&) = delete;

  const std::vector<TableColumn>& columns() const { return columns_; }
  bool empty() const;  // no rows
  // Calls f with the cells of each row, in the order of the records.
  void each_row(const std::function<void(const std::vector<std::string>&)>& f) const;

 private:
  struct Content;
  std::vector<std::string> cells(const Record& record) const;

  std::vector<TableColumn> columns_;
  std::unique_ptr<Content> content_;
};

}  // namespace parlab
