// The output of a command or a page as values: sections, tables, charts and
// notes, made of names, quantities and causes. The renderers of render/ turn it
// into text, CSV, JSON, HTML or SVG.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "facts/cause.hpp"
#include "facts/quantity.hpp"

namespace parlab {

// A link to another place: "#fig-x", "../index.html".
struct Link {
  std::string text, target;
  std::string hint = {};  // shown when the mouse is over it
};

// The interval of a quantity, without its value: "16.2-16.3 us".
struct Range {
  Quantity of;
};
struct Strong {
  std::string text;
};
// A bar that is filled to this share.
struct Meter {
  double share = 0;
};

// A sentence, or part of one, in pieces.
using Piece = std::variant<std::string, std::int64_t, Quantity, Range, Detail,
                           Link, Strong, Meter>;
struct Text {
  std::vector<Piece> pieces;

  Text() = default;
  Text(const char* text) : Text(std::string(text)) {}
  Text(std::string text) {
    if (!text.empty()) pieces.emplace_back(std::move(text));
  }
  Text(std::string_view text) : Text(std::string(text)) {}
  Text(Quantity quantity) : pieces{quantity} {}
  Text(std::integral auto count) : pieces{static_cast<std::int64_t>(count)} {}
  Text(NamedEnum auto value) : Text(to_string(value)) {}
  Text(Range range) : pieces{range} {}
  Text(Detail detail) : pieces{std::move(detail)} {}
  Text(Link link) : pieces{std::move(link)} {}
  Text(Strong strong) : pieces{std::move(strong)} {}
  Text(Meter meter) : pieces{meter} {}

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
  Cell() = default;
  // content: whatever a text can be made of.
  template <std::convertible_to<Text> T>
  Cell(T&& content, Text more = {}, std::string anchor = {})
      : text(std::forward<T>(content)),
        note(std::move(more)),
        id(std::move(anchor)) {}

  Text text;       // empty: unknown, or it does not apply
  Text note;       // in small print below it or after it
  std::string id;  // anchor for links
};

struct Column {
  std::string key = {};  // in CSV and JSON: "median_s"; empty: not included
  // for people: "time"; empty with a key: only for programs
  std::string title = {};
  bool right = false;         // right-aligned, like numbers
  std::size_t widest = 1000;  // characters; longer cells are wrapped
  bool interval = false;      // CSV and JSON also have "KEY_low" and "KEY_high"
  bool cut = false;           // longer cells end in "..." and are not wrapped
  bool gives_way = false;     // left out if a line has no room for it
};

// Columns only for programs.
inline std::vector<Column> keyed(std::initializer_list<const char*> keys) {
  std::vector<Column> columns;
  for (const auto* key : keys)
    columns.push_back({.key = key});
  return columns;
}

enum class Tone { plain, good, bad, faint };
struct Row {
  std::vector<Cell> cells;  // the last one spans the remaining columns
  bool heading = false;     // heading of the rows below, over all columns
  Tone tone = Tone::plain;  // its colour on a terminal
};
inline Row row_of(std::vector<Cell> cells) {
  return {.cells = std::move(cells)};
}

// Without rows nothing of it is shown.
struct Table {
  std::string key = {};  // in JSON: "points"
  Text title = {};
  std::vector<Column> columns = {};
  std::vector<Row> rows = {};
  // Rows of numbers stay a table on a narrow screen; rows of another table
  // become cards.
  bool numbers = false;
  bool folded = false;   // only its title is shown, and unfolds it
  bool printed = false;  // not folded on paper

  Row& add(std::vector<Cell> cells) {
    return rows.emplace_back(row_of(std::move(cells)));
  }
};

// The progress of a ladder, rung by rung.
struct Rung {
  Text name = {};
  double share = 0;     // of the space for its bar; 0: unknown
  bool framed = false;  // the reference has a framed bar, others a filled one
  Cell time = {};
  Cell gain = {};  // over the best earlier rung
  Text idea = {};
  Text counts = {};  // counters that explain it
};
struct Ladder {
  std::vector<Rung> rungs = {};
};

// Findings in numbers, at the top of a page.
struct Headline {
  Text number, says;
  std::string target = {};
};
struct Headlines {
  std::vector<Headline> all;
};

// A grid of small cells, each a link: a row for each machine, a cell for each
// claim.
struct LinkCell {
  std::string sign, text, target;
  std::string hint = {};  // shown when the mouse is over it
  std::string kind = {};  // cells of one kind look alike
  std::string id = {};    // anchor for links
  Cell says = {};         // text after the cell in a list
};
struct LinkRow {
  std::string name;
  std::vector<LinkCell> cells = {};
};
struct LinkGrid {
  std::string title;
  std::vector<LinkRow> rows = {};
  bool list = false;  // one line for each cell, with its text
};

// ---- charts -----------------------------------------------------------------

// Both axes are logarithmic; values that are not positive are left out.
struct ChartAxis {
  std::string label;  // empty if the numbers explain themselves
  Unit unit = Unit::none;
};
struct ChartPoint {
  double x = 0, y = 0;
};
struct Series {
  std::string label;               // in the key; empty: not in the key
  std::vector<ChartPoint> points;  // along the line
  int look = 0;                    // number of its colour, dash and marker
  bool line = true, markers = true;
};
// A single point of the chart, with a short text beside it or none.
struct ChartLabel {
  ChartPoint at;
  std::string text;
  int look = 0;
  std::string hint = {};  // shown when the mouse is over it
};
struct Chart {
  std::string id, title;  // the title is for people who cannot see the chart
  ChartAxis x, y;
  std::vector<Series> series;
  std::vector<ChartLabel> labels = {};
  Text caption = {};
};

// Numbers of one kind, with one row for each thing that they describe.
PARLAB_ENUM(Look, "look", (ring, "ring"), (disc, "disc"), (tick, "tick"),
            (square, "square"), (triangle, "triangle"), (diamond, "diamond"),
            (start, "start"))
struct Mark {
  double at = 0;
  Look look = Look::ring;
  std::string hint = {};  // shown when the mouse is over it
};
struct MarkedRow {
  std::string name, note;   // note: in small print below the name
  std::string target = {};  // link target
  std::vector<Mark> marks = {};
  std::string strong = {};             // short text after the marks
  std::vector<std::string> says = {};  // lines in small print
};
struct Strip {
  std::string id, title;  // the title is for people who cannot see the strip
  std::vector<MarkedRow> rows = {};
  bool logarithmic = false;
  double from = 0, to = 1;
  std::vector<std::pair<double, std::string>> ticks = {};
  double line = 1;  // value that the marks are compared with
  // Texts at the ends of the axis that say who is better there. The left side
  // is shaded.
  std::string left = {}, right = {};
  std::vector<std::pair<Look, std::string>> key = {};
  std::string leads = {};  // above the strip: where its rows link to
  Text caption = {};
};

// A figure drawn by gnuplot: its file and its texts.
struct Picture {
  std::string id, path, title;  // the title is for people who cannot see it
  Text caption = {};
};

// ---- documents --------------------------------------------------------------

struct Paragraph {
  Text text;           // empty: nothing is shown
  bool small = false;  // in small print
  Tone tone = Tone::plain;
  bool verbatim = false;  // its line breaks are kept
};
struct List {
  std::vector<Text> items;
};
struct Section;
// Sections that are shown one at a time, the first until another is chosen.
struct Alternatives {
  std::string what;  // the choice: "GPU"
  std::vector<Section> sections;
};
using Block = std::variant<Paragraph, List, Table, Ladder, Headlines, LinkGrid,
                           Chart, Strip, Picture, Alternatives, Section>;
struct Section {
  std::string id = {};
  Text title = {};
  std::string label = {};  // in the links at the top of a page; empty: none
  std::vector<Block> blocks = {};
  bool folded = false;   // only its title is shown, and unfolds it
  bool printed = false;  // not folded on paper

  void add(auto more) { add_to(blocks, std::move(more)); }
};
struct Document {
  std::string title = {};
  std::vector<Block> blocks = {};
  std::vector<Link> elsewhere = {};  // after the links to its sections

  void add(auto more) { add_to(blocks, std::move(more)); }
};

// more: a block, several, or one that may be missing.
inline void add_to(std::vector<Block>& blocks, Block more) {
  blocks.push_back(std::move(more));
}
inline void add_to(std::vector<Block>& blocks, std::vector<Block> more) {
  std::ranges::move(more, std::back_inserter(blocks));
}
template <typename T>
void add_to(std::vector<Block>& blocks, std::optional<T> more) {
  if (more) blocks.push_back(std::move(*more));
}

// In small print.
inline Paragraph remark(Text text) {
  return {.text = std::move(text), .small = true};
}

}  // namespace parlab
