// Rows of marks along one axis, as SVG. Marks differ in shape, never in colour
// alone.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.hpp"
#include "render/markup.hpp"
#include "render/svg.hpp"

namespace parlab {
namespace {

struct Layout {
  double width, left, right;  // of the axis
  double row, text;           // heights of a row without lines, and of a line
  bool narrow;
};
constexpr double raise = 16;  // room for a line of words on the axis
constexpr Layout wide{1010, 268, 660, 22, 15, false},
    close{1010, 268, 660, 14, 15, false}, narrow{360, 14, 346, 42, 15, true};
// More rows than that are closer together: all fit on one screen.
constexpr std::size_t many_rows = 10;

struct Shape {
  const char* fill;  // for separate files; a page has colours of its own
  std::vector<double> corners = {};  // none: a circle
};
const Shape& shape_of(Look look) {
  static const std::map<Look, Shape> shapes{
      {Look::ring, {"#ffffff"}},
      {Look::disc, {"#0b4a7d"}},
      {Look::tick, {"#b35900", {-1.5, -11, 1.5, -11, 1.5, 11, -1.5, 11}}},
      {Look::square, {"#b35900", {-5, -5, 5, -5, 5, 5, -5, 5}}},
      {Look::triangle, {"#00735a", {0, -7, 7, 5, -7, 5}}},
      {Look::diamond, {"#a1497c", {0, -7, 7, 0, 0, 7, -7, 0}}},
      {Look::start, {"#ffffff", {-5, -7, 7, 0, -5, 7}}}};
  return shapes.at(look);
}

std::string px(double value) {
  return significant(value, 5, 2);
}

class Rows {
 public:
  Rows(const Strip& strip, StripForm form)
      : strip_(strip),
        alone_(form == StripForm::alone),
        at_(form == StripForm::narrow       ? narrow
            : strip.rows.size() > many_rows ? close
                                            : wide) {}

  std::string draw() {
    const double top = 30 + (sides() ? 18 : 0) + (raised() ? raise : 0);
    double bottom = top;
    for (const auto& row : strip_.rows)
      bottom += height(row);
    // A tall picture labels its axis at the end, too.
    const double axis = !at_.narrow ? 0 : raised() ? 20 + raise : 20;
    const double key = bottom + axis + (at_.narrow ? 20 : 22);
    const double end = key + 20 * lines_of_key();
    open(end);
    write_axis(top, bottom);
    double y = top;
    for (const auto& row : strip_.rows) {
      write(row, y);
      y += height(row);
    }
    write_key(key);
    svg_.close();
    return svg_.str();
  }

 private:
  using Attributes = Html::Attributes;

  bool sides() const { return !strip_.left.empty() || !strip_.right.empty(); }

  double height(const MarkedRow& row) const {
    const auto lines = static_cast<double>(row.says.size());
    if (at_.narrow) return at_.row + at_.text * (lines + under(row));
    const double behind = begins_beside(row) ? lines - 1 : lines;
    return at_.row + at_.text * std::max(behind, row.note.empty() ? 0.5 : 1.0);
  }

  // On a narrow screen the note is beside the name or on a line of its own.
  static double under(const MarkedRow& row) {
    const auto beside = row.name.size() + row.note.size() + row.strong.size();
    return row.note.empty() || beside < 36 ? 0 : 1;
  }

  // Whether the first line is beside the strong words.
  static bool begins_beside(const MarkedRow& row) {
    return !row.says.empty() && row.strong.size() < 8;
  }

  double x(double value) const {
    const auto scaled = [&](double v) {
      return strip_.logarithmic ? std::log(v) : v;
    };
    const double share = (scaled(value) - scaled(strip_.from)) /
                         (scaled(strip_.to) - scaled(strip_.from));
    return at_.left + std::clamp(share, 0.0, 1.0) * (at_.right - at_.left);
  }

  void open(double height) {
    Attributes attributes{
        {"class", std::string("strip") + (at_.narrow ? " narrow" : " wide")},
        {"role", "img"},
        {"aria-label", strip_.title},
        {"viewBox", "0 0 " + px(at_.width) + " " + px(height)}};
    if (alone_) {
      attributes.push_back({"xmlns", "http://www.w3.org/2000/svg"});
      attributes.push_back({"font-family", "DejaVu Sans, sans-serif"});
    }
    svg_.open("svg", attributes);
    if (!alone_) return;
    svg_.element("title", strip_.title);
    svg_.single("rect",
                {{"width", "100%"}, {"height", "100%"}, {"fill", "#ffffff"}});
  }

  void text(double left, double y, const std::string& words,
            const std::string& anchor_at, bool small, bool bold = false) {
    if (words.empty()) return;
    Attributes attributes{{"x", px(left)},
                          {"y", px(y)},
                          {"text-anchor", anchor_at},
                          {"font-size", small ? "12.5" : "14.5"}};
    if (bold) attributes.push_back({"font-weight", "bold"});
    svg_.element("text", words, attributes);
  }

  auto tick_at_line() const {
    return std::ranges::find(strip_.ticks, strip_.line,
                             &std::pair<double, std::string>::first);
  }
  // Whether the words at the axis line would overlap others and are put above
  // them.
  bool raised() const {
    const auto line = tick_at_line();
    return line != strip_.ticks.end() &&
           std::ranges::any_of(strip_.ticks, [&](const auto& tick) {
             return tick.first != line->first &&
                    room(tick).first < room(*line).second &&
                    room(*line).first < room(tick).second;
           });
  }
  // Horizontal range for the words of a tick; words are kept inside the
  // picture.
  std::pair<double, double> room(
      const std::pair<double, std::string>& tick) const {
    const double half = 4 * static_cast<double>(tick.second.size());
    const double end = std::min(x(tick.first) + half, at_.width);
    return {end - 2 * half, end};
  }

  void write_ticks(double y, double y_of_line) {
    for (const auto& tick : strip_.ticks) {
      const auto [begin, end] = room(tick);
      const bool edge = end >= at_.width;
      text(edge ? end : (begin + end) / 2,
           tick.first == strip_.line ? y_of_line : y, tick.second,
           edge ? "end" : "middle", true);
    }
  }

  // If rows have their words above their marks, the lines do not cross the
  // words.
  void write_lines(double from, double to) {
    const double line = x(strip_.line);
    if (sides()) {
      svg_.single("rect", {{"class", "shade"},
                           {"x", px(at_.left)},
                           {"y", px(from)},
                           {"width", px(line - at_.left)},
                           {"height", px(to - from)},
                           {"fill", "#f7ede3"}});
    }
    for (const auto& tick : strip_.ticks) {
      if (tick.first != strip_.line) vertical(x(tick.first), from, to, "grid");
    }
    vertical(line, from, to, "line");
  }

  void vertical(double at, double from, double to, const std::string& name) {
    const bool strong = name == "line";
    svg_.single("line", {{"class", name},
                         {"x1", px(at)},
                         {"x2", px(at)},
                         {"y1", px(from)},
                         {"y2", px(to)},
                         {"stroke", strong ? "#1a1a1a" : "#d8d8d8"},
                         {"stroke-width", strong ? "2" : "1"}});
  }

  void write_axis(double top, double bottom) {
    const double line = x(strip_.line);
    if (sides()) {
      text(line - 10, 14, strip_.left, "end", true);
      text(line + 10, 14, strip_.right, "start", true);
    }
    write_ticks(top - 9, top - 9 - (raised() ? raise : 0));
    if (at_.narrow) {
      write_ticks(bottom + 16, bottom + 16 + (raised() ? raise : 0));
    } else {
      write_lines(top, bottom);
    }
  }

  void write(const MarkedRow& row, double y) {
    const bool leads = !row.target.empty() && !alone_;
    if (leads) {
      svg_.open("a", {{"href", row.target}});
      // The whole row can be clicked, including gaps between its words.
      svg_.single("rect", {{"class", "row"},
                           {"x", "0"},
                           {"y", px(y)},
                           {"width", px(at_.width)},
                           {"height", px(height(row))}});
    }
    const double middle = at_.narrow ? y + height(row) - 13 : y + 14;
    if (at_.narrow) {
      write_lines(middle - 12, middle + 12);
      double line = y + 15;
      const bool below = under(row) > 0;
      write_name(at_.left, line, row, below);
      text(at_.right, line, row.strong, "end", false, true);
      if (below) text(at_.left, line += at_.text, row.note, "start", true);
      for (const auto& words : row.says)
        text(at_.right, line += at_.text, words, "end", true);
    } else {
      text(at_.left - 14, y + 18, row.name, "end", false, true);
      text(at_.left - 14, y + 18 + at_.text, row.note, "end", true);
      // There is room for the first line after the strong words.
      const double after =
          at_.right + 22 + 10.5 * static_cast<double>(row.strong.size());
      text(at_.right + 16, y + 18, row.strong, "start", false, true);
      double line = y + 18;
      for (std::size_t i = 0; i < row.says.size(); ++i) {
        const bool beside = i == 0 && begins_beside(row);
        if (!beside) line += at_.text;
        text(beside && !row.strong.empty() ? after : at_.right + 16, line,
             row.says[i], "start", true);
      }
    }
    write_marks(row, middle);
    if (leads) svg_.close();
  }

  // Writes the name, with the note in small print after it unless that goes
  // below.
  void write_name(double left, double y, const MarkedRow& row, bool below) {
    svg_.open("text", {{"x", px(left)}, {"y", px(y)}, {"font-size", "14.5"}});
    svg_.element("tspan", row.name, {{"font-weight", "bold"}});
    if (!below && !row.note.empty())
      svg_.element("tspan", row.note, {{"dx", "8"}, {"font-size", "12.5"}});
    svg_.close();
  }

  void write_marks(const MarkedRow& row, double y) {
    if (row.marks.empty()) return;
    const auto [least, most] =
        std::ranges::minmax(row.marks, {}, [](const Mark& m) { return m.at; });
    svg_.single("line", {{"class", "span"},
                         {"x1", px(x(least.at))},
                         {"x2", px(x(most.at))},
                         {"y1", px(y)},
                         {"y2", px(y)},
                         {"stroke", "#9fb6cd"},
                         {"stroke-width", "4"}});
    // Important marks are drawn last, on top of the others.
    for (const bool first : {true, false}) {
      for (const auto& mark : row.marks) {
        if ((mark.look == Look::ring) == first)
          write(mark.look, x(mark.at), y, mark.hint);
      }
    }
  }

  void write(Look look, double at, double y, const std::string& hint) {
    const auto& [fill, corners] = shape_of(look);
    Attributes attributes{{"class", std::string(to_string(look))},
                          {"fill", fill}};
    const auto add = [&](const char* name, const std::string& value) {
      attributes.push_back({name, value});
    };
    const bool ring = look == Look::ring;
    if (ring || look == Look::start) {
      add("stroke", "#0b4a7d");
      add("stroke-width", ring ? "1.5" : "2");
    }
    if (corners.empty()) {
      add("cx", px(at));
      add("cy", px(y));
      add("r", ring ? "4.5" : "6.5");
    } else {
      std::string points;
      for (std::size_t i = 0; i < corners.size(); i += 2)
        points += px(at + corners[i]) + "," + px(y + corners[i + 1]) + " ";
      add("points", points);
    }
    svg_.open(corners.empty() ? "circle" : "polygon", attributes);
    if (!hint.empty()) svg_.element("title", hint);
    svg_.close();
  }

  // Calls f(entry, x, line), with as many entries per line as fit.
  template <typename F>
  int for_key(F f) const {
    double left = at_.left;
    int line = 0;
    const double end = at_.width - 10;
    for (const auto& entry : strip_.key) {
      const double needs = 32 + 7.6 * static_cast<double>(entry.second.size());
      if (left > at_.left && left + needs > end) {
        left = at_.left;
        ++line;
      }
      f(entry, left, line);
      left += needs;
    }
    return strip_.key.empty() ? 0 : line + 1;
  }
  int lines_of_key() const {
    return for_key([](const auto&, double, int) {});
  }
  void write_key(double y) {
    for_key([&](const auto& entry, double left, int line) {
      write(entry.first, left + 7, y + 20 * line - 5, "");
      text(left + 20, y + 20 * line, entry.second, "start", true);
    });
  }

  const Strip& strip_;
  bool alone_;
  const Layout& at_;
  Html svg_;
};

}  // namespace

std::string draw(const Strip& strip, StripForm form) {
  return strip.rows.empty() ? "" : Rows(strip, form).draw();
}

}  // namespace parlab
