#include "render/terminal.hpp"

#include <algorithm>
#include <numeric>

#include "core/text.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

constexpr std::size_t line_width = 100, gap = 2, least_width = 8;

std::string without_end(std::string line) {
  return line.erase(line.find_last_not_of(' ') + 1) + '\n';
}

std::string lines_of(const Text& text) {
  std::string lines;
  for (const auto& line : wrap(words(text), line_width))
    lines += line + '\n';
  return lines;
}

std::string text_of(const Cell& cell) {
  const auto text = words(cell.text), note = words(cell.note);
  if (note.empty()) return text;
  return text + (text.empty() ? "(" : " (") + note + ")";
}

// Whether a row says anything in that column.
bool any_text(const Table& table, std::size_t column) {
  return std::ranges::any_of(table.rows, [&](const Row& row) {
    return column < row.cells.size() && !text_of(row.cells[column]).empty();
  });
}

// The columns of a table that people see, in words, and their widths.
class Layout {
 public:
  explicit Layout(const Table& table) {
    std::vector<bool> shown;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const auto& column = table.columns[c];
      const bool for_people = column.key.empty() || !column.title.empty();
      shown.push_back(for_people && any_text(table, c));
      if (!shown.back()) continue;
      columns_.push_back(&column);
      widths_.push_back(column.title.size());
    }
    for (const auto& row : table.rows) {
      Line line{.spans = row.cells.size() < table.columns.size(),
                .heading = row.heading};
      for (std::size_t c = 0; c < row.cells.size(); ++c) {
        if (!shown[c]) continue;
        line.cells.push_back(text_of(row.cells[c]));
        if (table.numbers && line.cells.back().empty()) line.cells.back() = "-";
      }
      const auto aligned = line.cells.size() - (line.spans ? 1 : 0);
      for (std::size_t c = 0; c < aligned && !row.heading; ++c) {
        widths_[c] = std::max(
            widths_[c], std::min(line.cells[c].size(), columns_[c]->widest));
      }
      lines_.push_back(std::move(line));
    }
    if (!table.numbers) shrink();
  }

  std::string print() const {
    if (columns_.empty()) return "";
    Line titles;
    for (const auto* column : columns_)
      titles.cells.push_back(column->title);
    const bool titled = std::ranges::any_of(
        titles.cells, [](const std::string& title) { return !title.empty(); });
    std::string text = titled ? text_of_line(titles) : "";
    for (const auto& line : lines_) {
      text += line.heading ? without_end(join(line.cells, " "))
                           : text_of_line(line);
    }
    return text;
  }

 private:
  struct Line {
    std::vector<std::string> cells = {};
    bool spans = false;  // the last cell, to the end of the line
    bool heading = false;
  };

  // Names give way, the longest first, until the line fits; numbers do not.
  void shrink() {
    auto all = std::accumulate(widths_.begin(), widths_.end(),
                               gap * (widths_.size() - 1));
    while (all > line_width) {
      std::size_t* widest = nullptr;
      for (std::size_t c = 0; c < widths_.size(); ++c) {
        if (columns_[c]->right || widths_[c] <= least_width) continue;
        if (widest == nullptr || widths_[c] > *widest) widest = &widths_[c];
      }
      if (widest == nullptr) return;
      --*widest;
      --all;
    }
  }

  std::string text_of_line(const Line& of) const {
    std::vector<std::vector<std::string>> wrapped;
    std::size_t height = 1, used = 0;
    for (std::size_t c = 0; c < of.cells.size(); ++c) {
      const bool spans = of.spans && c + 1 == of.cells.size();
      wrapped.push_back(
          wrap(of.cells[c], spans ? line_width - std::min(used, line_width - 20)
                                  : widths_[c]));
      used += widths_[c] + gap;
      height = std::max(height, wrapped.back().size());
    }
    std::string text;
    for (std::size_t l = 0; l < height; ++l) {
      std::string line;
      for (std::size_t c = 0; c < wrapped.size(); ++c) {
        const auto part = l < wrapped[c].size() ? wrapped[c][l] : "";
        const std::string blanks(widths_[c] - std::min(widths_[c], part.size()),
                                 ' ');
        line += (columns_[c]->right ? blanks + part : part + blanks) +
                std::string(gap, ' ');
      }
      text += without_end(line);
    }
    return text;
  }

  std::vector<const Column*> columns_;
  std::vector<std::size_t> widths_;
  std::vector<Line> lines_;
};

std::string text_of(const Paragraph& paragraph) {
  return lines_of(paragraph.text);
}
std::string text_of(const Table& table) {
  return terminal(table);
}
std::string text_of(const Section& section) {
  return terminal(section);
}
std::string text_of(const auto&) {
  return "";
}

std::string text_of_block(const Block& block) {
  return std::visit([](const auto& one) { return text_of(one); }, block);
}

}  // namespace

std::string terminal(const Table& table) {
  return (table.title.empty() ? "" : lines_of(table.title)) +
         Layout(table).print();
}

std::string terminal(const Section& section) {
  std::string text = section.title.empty() ? "" : lines_of(section.title);
  for (const auto& block : section.blocks)
    text += text_of_block(block);
  return text;
}

std::string terminal(const Document& document) {
  std::string all = document.title.empty() ? "" : lines_of(document.title);
  for (const auto& block : document.blocks) {
    const auto* paragraph = std::get_if<Paragraph>(&block);
    const auto text = text_of_block(block);
    const bool follows = paragraph != nullptr && paragraph->small;
    if (!all.empty() && !text.empty() && !follows) all += '\n';
    all += text;
  }
  return all;
}

}  // namespace parlab
