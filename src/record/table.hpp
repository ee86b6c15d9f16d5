// Records as a table, the common form for CSV and the database of the figures.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "record/store.hpp"

namespace parlab {

struct TableColumn {
  std::string name;
  // never read as a number even if it looks like one, such as commit 12e4
  bool is_text;
};

// One row per record of latest(), with '.' decimals and SI base units. Each
// dimension (rows, cols), tunable (block, threads) and counter has a column.
// Unknown cells are empty. Rows are made on demand, because those of many
// records would need more memory than the records.
class RecordTable {
 public:
  // keep: selects the records that get a row; all if empty. Speedups are over
  // the serial record in either case.
  explicit RecordTable(Loaded loaded,
                       const std::function<bool(const Record&)>& keep = {});
  ~RecordTable();
  RecordTable(const RecordTable&) = delete;
  RecordTable& operator=(const RecordTable&) = delete;

  const std::vector<TableColumn>& columns() const { return columns_; }
  bool empty() const;  // whether there are no rows
  // Calls f with the cells of each row, in the order of the records.
  using Cells = std::vector<std::string>;
  void each_row(const std::function<void(const Cells&)>& f) const;
  // The same with one line per row, made from its cells. Lines are made on
  // several threads, so `line` must be thread-safe.
  void each_line(const std::function<std::string(const Cells&)>& line,
                 const std::function<void(const std::string&)>& f) const;

 private:
  struct Content;
  void find_columns();
  Cells cells(const Record& record) const;
  // Calls make for each row, and take with the results in order. Later rows are
  // made in the meantime.
  template <typename T, typename Make>
  void in_order(const Make& make,
                const std::function<void(const T&)>& take) const;

  std::vector<TableColumn> columns_;
  std::unique_ptr<Content> content_;
};

// Writes the table as tidy CSV, header first, for spreadsheets and scripts.
void write_csv(std::ostream& out, Loaded loaded,
               const std::function<bool(const Record&)>& keep = {});

}  // namespace parlab
