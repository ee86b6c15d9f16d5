// A document in the formats of commands: for people on a terminal or as
// Markdown, for programs as CSV or JSON.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/document.hpp"
#include "render/words.hpp"

namespace parlab {

// ---- for people -------------------------------------------------------------

// The format of output text. The defaults suit a file; a terminal may change
// them.
struct Looks {
  std::size_t width = 100;  // characters per line
  Letters letters = Letters::ascii;
  bool colours = false;
  bool markdown = false;  // for output that is shown as Markdown
};

// There is an empty line before each block except a paragraph in small print,
// which belongs to the block before it. Charts and pictures are left out.
std::string terminal(const Document& document, const Looks& looks = {});
// Long names are wrapped, and columns without content are left out. A table of
// numbers keeps its full width and has "-" for missing numbers. In a row with
// fewer cells than columns, the last cell takes the remaining room.
std::string terminal(const Table& table, const Looks& looks = {});
// The section's title, and its blocks without empty lines between them.
std::string terminal(const Section& section, const Looks& looks = {});

// GitHub's Markdown, for a pull request or an issue: one paragraph, list or
// table each, with an empty line between them. Text that Markdown would
// interpret is escaped. A table has the columns that a terminal shows; folded
// parts unfold by a click. Charts and pictures are left out.
std::string markdown(const Document& document);
std::string markdown(const Table& table);
std::string markdown(const Section& section);

// ---- for programs -----------------------------------------------------------

// Fields have the keys of a table's columns; one with intervals has "ratio",
// "ratio_low" and "ratio_high". Numbers are in SI base units.

// CSV (RFC 4180): a line of keys, then one line per row. Text that a
// spreadsheet would take for a formula gets a quote in front.
std::string csv(const Table& table);
// One line with its line end; fields are quoted if necessary.
std::string csv_line(const std::vector<std::string>& fields);
// Nine significant digits, in any locale. Empty if the value is unknown or not
// finite.
std::string csv_number(std::optional<double> value);

// JSON Lines: one line per row of its tables, in order, each with one object.
// "type" is the key of the table. A cell without text has no member. Tables
// without a key, paragraphs and charts are left out, because they are for
// people.
std::string json_lines(const Document& document);
std::string json_lines(const Table& table);

// ---- for either -------------------------------------------------------------

// format: "table", "csv" or "json"; only a table has CSV.
template <typename T>
std::string formatted(const T& said, const Looks& looks,
                      std::string_view format = "table") {
  if constexpr (std::same_as<T, Table>) {
    if (format == "csv") return csv(said);
  }
  if constexpr (!std::same_as<T, Section>) {
    if (format == "json") return json_lines(said);
  }
  return looks.markdown ? markdown(said) : terminal(said, looks);
}

}  // namespace parlab
