#include "report/text_table.hpp"

#include <algorithm>
#include <ostream>

#include "core/text.hpp"

namespace parlab {
namespace {

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, text.size()), ' ');
  return right ? blanks + text : text + blanks;
}

void print_line(std::ostream& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

}  // namespace

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> result;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_[c].title.size();
    for (const auto& row : rows_) {
      if (c < row.cells.size()) width = std::max(width, row.cells[c].size());
    }
    result.push_back(std::min(
        width, std::max(columns_[c].widest, columns_[c].title.size())));
  }
  return result;
}

void TextTable::print(std::ostream& out, std::size_t width) const {
  const auto column_widths = widths();
  std::string titles;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    titles +=
        padded(columns_[c].title, column_widths[c], columns_[c].right) + "  ";
  }
  print_line(out, titles);
  for (const auto& row : rows_) {
    // Each cell as lines, and the text behind them as one more cell.
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1, used = 0;
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      cells.push_back(wrap(row.cells[c], column_widths[c]));
      height = std::max(height, cells.back().size());
      used += column_widths[c] + 2;
    }
    const auto text = wrap(row.text, width - std::min(used, width - 20));
    height = std::max(height, text.size());
    for (std::size_t l = 0; l < height; ++l) {
      std::string line;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        line += padded(l < cells[c].size() ? cells[c][l] : "", column_widths[c],
                       columns_[c].right);
        line += "  ";
      }
      print_line(out, line + (l < text.size() ? text[l] : ""));
    }
  }
}

}  // namespace parlab
