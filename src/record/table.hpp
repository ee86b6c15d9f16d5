// Records as a table: what the CSV and the database of the
// figures have in common.
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
  // never a number, even if it looks like one: a commit such as 12e4
  bool is_text;
};

// One row per record of latest(); '.' decimals, SI base units; one column for
// each dimension (rows, cols), tunable (block, threads) and counter; a cell
// that is not known is empty. Rows are made as they are asked for: those of
// many records would need more memory than the records.
class RecordTable {
 public:
  // keep: which records get a row, all when empty; speedups are over the
  // serial record in either case.
  explicit RecordTable(Loaded loaded,
                       const std::function<bool(const Record&)>& keep = {});
  ~RecordTable();
  RecordTable(const RecordTable&) = delete;
  RecordTable& operator=(const RecordTable&) = delete;

  const std::vector<TableColumn>& columns() const { return columns_; }
  bool empty() const;  // no rows
  // Calls f with the cells of each row, in the order of the records.
  using Cells = std::vector<std::string>;
  void each_row(const std::function<void(const Cells&)>& f) const;
  // The same with a line that is made of the cells; lines are
  // made on several threads.
  void each_line(const std::function<std::string(const Cells&)>& line,
                 const std::function<void(const std::string&)>& f) const;

 private:
  struct Content;
  void find_columns();
  Cells cells(const Record& record) const;
  // Calls take with what is made of each row; what follows is made meanwhile.
  template <typename T, typename Make>
  void in_order(const Make& make,
                const std::function<void(const T&)>& take) const;

  std::vector<TableColumn> columns_;
  std::unique_ptr<Content> content_;
};

// The table as tidy CSV, header first. For spreadsheets and scripts.
void write_csv(std::ostream& out, Loaded loaded,
               const std::function<bool(const Record&)>& keep = {});

}  // namespace parlab
