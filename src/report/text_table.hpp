// Aligned columns of plain text.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace parlab {

class TextTable {
 public:
  struct Column {
    std::string title;
    bool right = false;         // aligned to the right, as numbers are
    std::size_t widest = 1000;  // longer cells are wrapped
  };
  explicit TextTable(std::vector<Column> columns)
      : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) {
    rows_.push_back({std::move(cells), {}});
  }
  // text takes the place of the cells that are missing, wrapped to
  // the width of the table.
  void add(std::vector<std::string> cells, std::string text) {
    rows_.push_back({std::move(cells), std::move(text)});
  }
  // Lines of at most width characters, when the numbers leave room for that.
  void print(std::ostream& out, std::size_t width = 100) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string text;
  };
  std::vector<std::size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace parlab
