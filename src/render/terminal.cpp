#include "render/formats.hpp"

#include <algorithm>
#include <numeric>

#include "core/text.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

constexpr std::size_t gap = 2, least_width = 8;

std::string without_end(std::string line) {
  return line.erase(line.find_last_not_of(' ') + 1) + '\n';
}

// Colours by SGR sequences, which all colour terminals support.
std::string coloured(std::string line, const char* how, const Looks& looks) {
  if (!looks.colours || *how == '\0' || line == "\n") return line;
  line.pop_back();
  return std::string("\033[") + how + "m" + line + "\033[0m\n";
}
const char* colour_of(Tone tone) {
  const char* colours[] = {"", "32", "31", "2"};
  return colours[static_cast<std::size_t>(tone)];
}

std::string lines_of(const Text& text, const Looks& looks,
                     const char* how = "") {
  std::string lines;
  for (const auto& line : wrap(words(text, looks.letters), looks.width))
    lines += coloured(line + '\n', how, looks);
  return lines;
}
std::string title_of(const Text& title, const Looks& looks) {
  return title.empty() ? "" : lines_of(title, looks, "1");
}

// The visible columns of a table as words, with their widths.
class TextTable {
 public:
  TextTable(const Table& table, const Looks& looks) : looks_(looks) {
    const auto shown = shown_columns(table);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (!shown[c]) continue;
      columns_.push_back(&table.columns[c]);
      widths_.push_back(table.columns[c].title.size());
    }
    for (const auto& row : table.rows) {
      Line line{.spans = row.cells.size() < table.columns.size(),
                .heading = row.heading,
                .tone = row.tone};
      for (std::size_t c = 0; c < row.cells.size(); ++c) {
        if (!shown[c]) continue;
        line.cells.push_back(words(row.cells[c], looks.letters));
        if (table.numbers && line.cells.back().empty()) line.cells.back() = "-";
      }
      const auto aligned = line.cells.size() - (line.spans ? 1 : 0);
      for (std::size_t c = 0; c < aligned && !row.heading; ++c) {
        widths_[c] = std::max(widths_[c], std::min(length_of(line.cells[c]),
                                                   columns_[c]->widest));
      }
      lines_.push_back(std::move(line));
    }
    if (table.numbers) return;
    for (std::size_t c = columns_.size(); c-- > 0;) {
      if (columns_[c]->gives_way && width() > looks_.width) leave_out(c);
    }
    shrink();
  }

  std::string print() const {
    if (columns_.empty()) return "";
    Line titles{.tone = Tone::faint};
    for (const auto* column : columns_)
      titles.cells.push_back(column->title);
    const bool titled = std::ranges::any_of(
        titles.cells, [](const std::string& title) { return !title.empty(); });
    std::string text = titled ? text_of_line(titles) : "";
    for (const auto& line : lines_) {
      text += line.heading
                  ? coloured(without_end(join(line.cells, " ")), "1", looks_)
                  : text_of_line(line);
    }
    return text;
  }

 private:
  struct Line {
    std::vector<std::string> cells = {};
    bool spans = false;  // the last cell spans the rest of the line
    bool heading = false;
    Tone tone = Tone::plain;
  };

  std::size_t width() const {
    return std::accumulate(widths_.begin(), widths_.end(),
                           gap * (widths_.size() - 1));
  }

  void leave_out(std::size_t column) {
    const auto at = static_cast<std::ptrdiff_t>(column);
    columns_.erase(columns_.begin() + at);
    widths_.erase(widths_.begin() + at);
    for (auto& line : lines_) {
      // if the last cell spans the rest, it may begin one column earlier
      if (column + (line.spans ? 1 : 0) < line.cells.size())
        line.cells.erase(line.cells.begin() + at);
    }
  }

  // Shortens names, the longest first, until the line fits; numbers stay.
  void shrink() {
    auto all = width();
    while (all > looks_.width) {
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

  static void cut(std::vector<std::string>& lines, std::size_t width) {
    if (lines.size() == 1) return;
    lines = {wrap(lines[0], width - 3)[0] + "..."};
  }

  std::string text_of_line(const Line& of) const {
    std::vector<std::vector<std::string>> wrapped;
    std::size_t height = 1, used = 0;
    for (std::size_t c = 0; c < of.cells.size(); ++c) {
      const bool spans = of.spans && c + 1 == of.cells.size();
      wrapped.push_back(wrap(
          of.cells[c], spans ? looks_.width - std::min(used, looks_.width - 20)
                             : widths_[c]));
      if (columns_[c]->cut) cut(wrapped.back(), widths_[c]);
      used += widths_[c] + gap;
      height = std::max(height, wrapped.back().size());
    }
    std::string text;
    for (std::size_t l = 0; l < height; ++l) {
      std::string line;
      for (std::size_t c = 0; c < wrapped.size(); ++c) {
        const auto part = l < wrapped[c].size() ? wrapped[c][l] : "";
        const std::string blanks(
            widths_[c] - std::min(widths_[c], length_of(part)), ' ');
        line += (columns_[c]->right ? blanks + part : part + blanks) +
                std::string(gap, ' ');
      }
      text += coloured(without_end(line), colour_of(of.tone), looks_);
    }
    return text;
  }

  const Looks& looks_;
  std::vector<const Column*> columns_;
  std::vector<std::size_t> widths_;
  std::vector<Line> lines_;
};

std::string text_of(const Paragraph& paragraph, const Looks& looks) {
  if (paragraph.text.empty()) return "";
  return lines_of(paragraph.text, looks, colour_of(paragraph.tone));
}
std::string text_of(const List& list, const Looks& looks) {
  std::string text;
  for (const auto& item : list.items)
    text += lines_of("- " + item, looks);
  return text;
}
std::string text_of(const Table& table, const Looks& looks) {
  return terminal(table, looks);
}
std::string text_of(const Section& section, const Looks& looks) {
  return terminal(section, looks);
}
std::string text_of(const auto&, const Looks&) {
  return "";
}

std::string text_of_block(const Block& block, const Looks& looks) {
  return std::visit([&](const auto& one) { return text_of(one, looks); },
                    block);
}

}  // namespace

std::string terminal(const Table& table, const Looks& looks) {
  if (table.rows.empty()) return "";
  return title_of(table.title, looks) +
         TextTable(with_alike_rates(table), looks).print();
}

std::string terminal(const Section& section, const Looks& looks) {
  std::string text = title_of(section.title, looks);
  for (const auto& block : section.blocks)
    text += text_of_block(block, looks);
  return text;
}

std::string terminal(const Document& document, const Looks& looks) {
  std::string all = title_of(document.title, looks);
  for (const auto& block : document.blocks) {
    const auto* paragraph = std::get_if<Paragraph>(&block);
    const auto text = text_of_block(block, looks);
    const bool follows = paragraph != nullptr && paragraph->small;
    if (!all.empty() && !text.empty() && !follows) all += '\n';
    all += text;
  }
  return all;
}

}  // namespace parlab
