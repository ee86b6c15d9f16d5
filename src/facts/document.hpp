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
struct Strong {
  std::string text;
};
// A bar, so much of its room filled.
struct Meter {
  double share = 0;
};

// A sentence, or a part of one, in pieces.
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
  Text(std::int64_t count) : pieces{count} {}
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

// Half the width of an interval, as a share of the value: from the value on
// nobody needs to know how much more it is.
inline Text half_width_of(double share) {
  if (share > 0.99) return ">99%";
  return Quantity{share, Unit::fraction};
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
  bool cut = false;           // longer cells end in "...", and are not wrapped
  bool gives_way = false;     // left out where a line has no room for it
};

// For programs alone.
inline std::vector<Column> keyed(std::initializer_list<const char*> keys) {
  std::vector<Column> columns;
  for (const auto* key : keys)
    columns.push_back({.key = key});
  return columns;
}

enum class Tone { plain, good, bad, faint };
struct Row {
  std::vector<Cell> cells;  // the last one spans the columns that are left
  bool heading = false;     // of the rows below, over all columns
  Tone tone = Tone::plain;  // its colour on a terminal
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
  bool folded = false;   // its title is shown, and unfolds it
  bool printed = false;  // on paper it is not folded
};

// How far one came, rung by rung.
struct Rung {
  Text name = {};
  double share = 0;     // of the space its bar has; 0: not known
  bool framed = false;  // of what is compared with; the others are filled
  Cell time = {};
  Cell gain = {};  // over the best rung before it
  Text idea = {};
  Text counts = {};  // what explains it
};
struct Ladder {
  std::vector<Rung> rungs = {};
};

// Findings in numbers, on top of a page.
struct Headline {
  Text number, says;
  std::string target = {};
};
struct Headlines {
  std::vector<Headline> all;
};

// Small cells, each a link: a row for each machine, a cell for each claim.
struct LinkCell {
  std::string sign, text, target;
  std::string hint = {};  // shown when a mouse rests on it
  std::string kind = {};  // cells of one kind look alike
  std::string id = {};    // by which others lead here
  Cell says = {};         // behind it, where they are a list
};
struct LinkRow {
  std::string name;
  std::vector<LinkCell> cells = {};
};
struct LinkGrid {
  std::string title;
  std::vector<LinkRow> rows = {};
  bool list = false;  // a line for each cell, with what it says
};

// ---- charts -----------------------------------------------------------------

// Both axes are logarithmic; what is not positive is left out.
struct ChartAxis {
  std::string label;  // empty when the numbers say it
  Unit unit = Unit::none;
};
struct ChartPoint {
  double x = 0, y = 0;
};
struct Series {
  std::string label;               // in the key; empty: not in it
  std::vector<ChartPoint> points;  // along the line
  int look = 0;                    // which colour, dash and marker
  bool line = true, markers = true;
};
// A place of its own on the chart, with a short text beside it, or none.
struct ChartLabel {
  ChartPoint at;
  std::string text;
  int look = 0;
  std::string hint = {};  // shown when a mouse rests on it
};
struct Chart {
  std::string id, title;  // the title is for those who cannot see it
  ChartAxis x, y;
  std::vector<Series> series;
  std::vector<ChartLabel> labels = {};
  Text caption = {};
};

// Numbers of one kind, a row for each thing that they are of.
PARLAB_ENUM(Look, "look", (ring, "ring"), (disc, "disc"), (tick, "tick"),
            (square, "square"), (triangle, "triangle"), (diamond, "diamond"),
            (start, "start"))
struct Mark {
  double at = 0;
  Look look = Look::ring;
  std::string hint = {};  // shown when a mouse rests on it
};
struct MarkedRow {
  std::string name, note;   // the note in small print under it
  std::string target = {};  // where it leads to
  std::vector<Mark> marks = {};
  std::string strong = {};             // behind the marks, short
  std::vector<std::string> says = {};  // in small print, lines
};
struct Strip {
  std::string id, title;  // the title is for those who cannot see it
  std::vector<MarkedRow> rows = {};
  bool logarithmic = false;
  double from = 0, to = 1;
  std::vector<std::pair<double, std::string>> ticks = {};
  double line = 1;  // what the marks are compared with
  // At the ends of the axis: who is better there. The left side is shaded.
  std::string left = {}, right = {};
  std::vector<std::pair<Look, std::string>> key = {};
  std::string leads = {};  // above it: where its rows lead to
  Text caption = {};
};

// A figure that gnuplot drew: its file, and what to say of it.
struct Picture {
  std::string id, path, title;  // the title is for those who cannot see it
  Text caption = {};
};

// ---- documents --------------------------------------------------------------

struct Paragraph {
  Text text;
  bool small = false;  // in small print
  Tone tone = Tone::plain;
  bool verbatim = false;  // its line breaks are kept
};
struct List {
  std::vector<Text> items;
};
struct Section;
// One of them is shown, the first until another is chosen.
struct Alternatives {
  std::string what;  // is chosen: "GPU"
  std::vector<Section> sections;
};
using Block = std::variant<Paragraph, List, Table, Ladder, Headlines, LinkGrid,
                           Chart, Strip, Picture, Alternatives, Section>;
struct Section {
  std::string id = {};
  Text title = {};
  std::string label = {};  // in the links at the top of a page; or not there
  Text says = {};          // behind the title
  std::vector<Block> blocks = {};
  bool folded = false;   // its title is shown, and unfolds it
  bool printed = false;  // on paper it is not folded
};
struct Document {
  std::string title = {};
  std::vector<Block> blocks = {};
  std::vector<Link> elsewhere = {};  // behind the links to its sections
  // one line each, on the other stream of a terminal
  std::vector<Detail> warnings = {};
};

}  // namespace parlab
