// Something that a command or a page has to say, as values: sections, tables,
// charts and notes, made of names, quantities and causes. The renderers of
// render/ turn it into text, CSV, JSON, HTML or SVG.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "facts/cause.hpp"
#include "facts/quantity.hpp"

namespace parlab {

// Leads elsewhere: "#fig-x", "../index.html".
struct Link {
  std::string text, target;
  std::string hint = {};  // shown when a mouse rests on it
};

// The interval of a quantity, without its value: "16.2-16.3 us".
struct Range {
  Quantity of;
};

// A sentence, or a part of one, in pieces.
using Piece =
    std::variant<std::string, std::int64_t, Quantity, Range, Detail, Link>;
struct Text {
  std::vector<Piece> pieces;

  Text() = default;
  Text(const char* text) : Text(std::string(text)) {}
  Text(std::string text) {
    if (!text.empty()) pieces.emplace_back(std::move(text));
  }
  Text(std::string_view text) : Text(std::string(text)) {}
  Text(Quantity quantity) : pieces{quantity} {}
  Text(std::int64_t count) : pieces{count} {}
  Text(Range range) : pieces{range} {}
  Text(Detail detail) : pieces{std::move(detail)} {}
  Text(Link link) : pieces{std::move(link)} {}

  bool empty() const { return pieces.empty(); }
  Text& operator+=(const Text& more) {
    pieces.insert(pieces.end(), more.pieces.begin(), more.pieces.end());
    return *this;
  }
};
inline Text operator+(Text a, const Text& b) {
  return a += b;
}

struct Cell {
  Text text = {};       // empty: nothing is known, or it does not apply
  Text note = {};       // in small print under it, or behind it
  std::string id = {};  // by which others lead here
};

struct Column {
  std::string key = {};  // in CSV and JSON: "median_s"; empty: not there
  // for people: "time"; empty beside a key: for programs alone
  std::string title = {};
  bool right = false;         // aligned to the right, as numbers are
  std::size_t widest = 1000;  // characters; longer cells are wrapped
  bool interval = false;      // CSV and JSON have "KEY_low", "KEY_high" as well
};

// For programs alone.
inline std::vector<Column> keyed(std::initializer_list<const char*> keys) {
  std::vector<Column> columns;
  for (const auto* key : keys)
    columns.push_back({.key = key});
  return columns;
}

struct Row {
  std::vector<Cell> cells;  // the last one spans the columns that are left
  bool heading = false;     // of the rows below, over all columns
};
inline Row row_of(const std::vector<Text>& texts) {
  Row row;
  for (const auto& text : texts)
    row.cells.push_back({.text = text});
  return row;
}

struct Table {
  std::string key = {};  // in JSON: "points"
  Text title = {};
  std::vector<Column> columns = {};
  std::vector<Row> rows = {};
  // Many rows of numbers stay a table on a narrow screen; rows of another
  // table become cards.
  bool numbers = false;
  bool folded = false;  // its title is shown, and unfolds it
};

// ---- charts -----------------------------------------------------------------

struct Axis {
  std::string label;
  Unit unit = Unit::none;
  bool logarithmic = true;
};
struct ChartPoint {
  double x = 0, y = 0;
  Text says = {};  // when a mouse rests on it, besides its numbers
};
struct Series {
  std::string label;  // in the key; empty: not in it
  std::vector<ChartPoint> points;
  int look = 0;  // which colour, dash and marker
  bool line = true, markers = true;
};
// A short text beside a place on the chart.
struct ChartLabel {
  double x = 0, y = 0;
  std::string text;
};
struct Chart {
  std::string id, title;
  Axis x, y;
  std::vector<Series> series;
  std::vector<ChartLabel> labels = {};
};

// A figure that gnuplot drew: its file, and what to say of it.
struct Picture {
  std::string id, path, title;
};

// ---- documents --------------------------------------------------------------

struct Paragraph {
  Text text;
  bool small = false;  // in small print
};
struct Section;
using Block = std::variant<Paragraph, Table, Chart, Picture, Section>;
struct Section {
  std::string id = {};
  Text title = {};
  std::vector<Block> blocks = {};
  bool folded = false;
};
struct Document {
  std::string title = {};
  std::vector<Block> blocks = {};
  // one line each, on the other stream of a terminal
  std::vector<Detail> warnings = {};
};

}  // namespace parlab
