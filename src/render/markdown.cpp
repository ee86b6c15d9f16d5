#include "render/formats.hpp"

#include <algorithm>
#include <cctype>

#include "core/text.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

constexpr auto letters = Letters::unicode;
// of a document; its sections are one level lower
constexpr int level_of_titles = 3;

// Escapes a line so that Markdown shows it unchanged. A '_' within a name needs
// no escape.
std::string escaped(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return static_cast<unsigned char>(text[at]);
  };
  const auto within_name = [&](std::size_t at) {
    return at > 0 && at + 1 < text.size() && std::isalnum(byte(at - 1)) != 0 &&
           std::isalnum(byte(at + 1)) != 0;
  };
  std::string safe;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') {
      safe += "<br>";
    } else if (c == '<') {
      safe += "&lt;";
    } else if (c == '@') {  // so that it mentions nobody
      safe += "&#64;";
    } else {
      const bool sign =
          std::string_view("\\`*_[]|~#&>").find(c) != std::string::npos;
      if (sign && !(c == '_' && within_name(at))) safe += '\\';
      safe += c;
    }
  }
  return safe;
}

// Also escapes a beginning that would start a list.
std::string line_of(const Text& text) {
  std::string line;
  for (const auto& piece : text.pieces) {
    Text one;
    one.pieces = {piece};
    const auto shown = escaped(words(one, letters));
    const bool strong = std::holds_alternative<Strong>(piece);
    line += strong && !shown.empty() ? "**" + shown + "**" : shown;
  }
  const auto digits = line.find_first_not_of("0123456789");
  if (digits < line.size() &&
      std::string_view(digits == 0 ? "-+=" : ".)").find(line[digits]) !=
          std::string::npos)
    line.insert(digits, "\\");
  return line;
}

std::string title_of(const Text& title, int level) {
  if (title.empty()) return "";
  return std::string(static_cast<std::size_t>(std::min(level, 6)), '#') + " " +
         line_of(title) + "\n";
}

// The HTML lines around the content must stand alone.
std::string folded(const Text& title, const std::string& what) {
  return "<details><summary>" + escaped(words(title, letters)) +
         "</summary>\n\n" + what + "\n</details>\n";
}

std::string row_of_cells(const std::vector<std::string>& cells) {
  return "| " + join(cells, " | ") + " |\n";
}

std::string text_of_table(const Table& table) {
  const auto shown = shown_columns(table);
  std::vector<std::string> titles, rules;
  for (std::size_t c = 0; c < shown.size(); ++c) {
    if (!shown[c]) continue;
    titles.push_back(escaped(table.columns[c].title));
    rules.emplace_back(table.columns[c].right ? "--:" : "---");
  }
  if (titles.empty()) return "";
  auto text = row_of_cells(titles) + row_of_cells(rules);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      if (!shown[c]) continue;
      auto cell = escaped(words(row.cells[c], letters));
      if (table.numbers && cell.empty()) cell = "-";
      const bool strong = row.heading && !cell.empty();
      cells.push_back(strong ? "**" + cell + "**" : cell);
    }
    cells.resize(titles.size());
    text += row_of_cells(cells);
  }
  return text;
}

std::string text_of(const Paragraph& paragraph, int) {
  if (paragraph.text.empty()) return "";
  if (!paragraph.verbatim) return line_of(paragraph.text) + "\n";
  const auto text = words(paragraph.text, letters);
  std::string fence = "```";
  while (text.find(fence) != std::string::npos)
    fence += '`';
  return fence + "\n" + text + (text.ends_with('\n') ? "" : "\n") + fence +
         "\n";
}
std::string text_of(const List& list, int) {
  std::string text;
  for (const auto& item : list.items)
    text += "- " + line_of(item) + "\n";
  return text;
}
std::string text_of(const Table& table, int level) {
  if (table.rows.empty()) return "";
  const auto text = text_of_table(with_alike_rates(table));
  if (table.folded && !table.title.empty()) return folded(table.title, text);
  const auto title = title_of(table.title, level + 1);
  return title + (title.empty() || text.empty() ? "" : "\n") + text;
}
std::string text_of(const Section& section, int level);
std::string text_of(const auto&, int) {
  return "";
}

std::string text_of_blocks(std::string text, const std::vector<Block>& blocks,
                           int level) {
  for (const auto& block : blocks) {
    const auto next =
        std::visit([&](const auto& one) { return text_of(one, level); }, block);
    text += (text.empty() || next.empty() ? "" : "\n") + next;
  }
  return text;
}

std::string text_of(const Section& section, int level) {
  if (section.folded)
    return folded(section.title, text_of_blocks("", section.blocks, level + 1));
  return text_of_blocks(title_of(section.title, level + 1), section.blocks,
                        level + 1);
}

}  // namespace

std::string markdown(const Document& document) {
  return text_of_blocks(title_of(document.title, level_of_titles),
                        document.blocks, level_of_titles);
}

std::string markdown(const Table& table) {
  return text_of(table, level_of_titles);
}

std::string markdown(const Section& section) {
  return text_of(section, level_of_titles);
}

}  // namespace parlab
