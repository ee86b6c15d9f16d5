#include "render/svg.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "render/markup.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

constexpr double width = 720, left = 100, right = 700, top = 14,
                 plot_height = 380;
constexpr double line_height = 24;
constexpr double character = 8.2;  // of 15 px letters, a generous estimate

struct Look {
  const char* colour;  // colours by Okabe and Ito
  const char* dash;
};
constexpr Look looks[] = {{"#000000", "none"},
                          {"#0072b2", "9 5"},
                          {"#b34d00", "2 4"},
                          {"#00735a", "12 4 2 4"},
                          {"#a1497c", "5 3"}};

const Look& look_of(int look) {
  return looks[static_cast<std::size_t>(look) % std::size(looks)];
}

std::string text_of(double value) {
  return significant(value, 5, 2);
}

bool drawable(const ChartPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && point.x > 0 &&
         point.y > 0;
}

// The range of an axis: whole powers of ten around the data, or closer if the
// data's range is small.
struct Scale {
  double low = 0, high = 0;  // logarithms
  double from = 0, to = 0;   // pixels

  double operator()(double value) const {
    return from + (std::log10(value) - low) / (high - low) * (to - from);
  }
};

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart) {}

  std::string draw() {
    for (const auto& series : chart_.series) {
      for (const auto& point : series.points)
        include(point);
    }
    for (const auto& mark : chart_.labels)
      include(mark.at);
    if (xs_.empty()) return "";
    const double key = key_height();
    x_ = scale(xs_, left, right);
    y_ = scale(ys_, top + key + plot_height, top + key);
    const double height = top + key + plot_height + 58;
    svg_.open("svg",
              {{"class", "chart"},
               {"role", "img"},
               {"aria-label", chart_.title},
               {"viewBox", "0 0 " + text_of(width) + " " + text_of(height)}});
    write_key();
    write_axes();
    for (const auto& series : chart_.series)
      write_series(series);
    write_marks();
    svg_.close();
    return svg_.str();
  }

 private:
  void include(const ChartPoint& point) {
    if (!drawable(point)) return;
    xs_.push_back(point.x);
    ys_.push_back(point.y);
  }

  // A range slightly larger than the data's, and never empty.
  static Scale scale(const std::vector<double>& of, double from, double to) {
    const auto [low, high] = std::ranges::minmax(of);
    const double a = std::log10(low), b = std::log10(high);
    const double room = std::max(0.04 * (b - a), 0.1);
    return {a - room, b + room, from, to};
  }

  void line(double x1, double y1, double x2, double y2,
            const std::string& name) {
    svg_.single("line", {{"class", name},
                         {"x1", text_of(x1)},
                         {"y1", text_of(y1)},
                         {"x2", text_of(x2)},
                         {"y2", text_of(y2)}});
  }

  void text(double x, double y, const std::string& words,
            const std::string& anchor_at, const std::string& transform = {}) {
    Html::Attributes attributes{
        {"x", text_of(x)}, {"y", text_of(y)}, {"text-anchor", anchor_at}};
    if (!transform.empty()) attributes.push_back({"transform", transform});
    svg_.element("text", words, attributes);
  }

  // Ticks at powers of ten, and also at 2 and 5 between them if there are few.
  static std::vector<double> ticks(const Scale& scale) {
    std::vector<double> found;
    const bool dense = scale.high - scale.low < 2.6;
    for (int power = static_cast<int>(std::floor(scale.low));
         power <= scale.high; ++power) {
      for (const double step : {1.0, 2.0, 5.0}) {
        if (step > 1 && !dense) continue;
        const double value = step * std::pow(10.0, power);
        const double place = std::log10(value);
        if (place >= scale.low && place <= scale.high) found.push_back(value);
      }
    }
    return found;
  }

  void write_axes() {
    for (const double value : ticks(x_)) {
      line(x_(value), y_.from, x_(value), y_.to, "grid");
      text(x_(value), y_.from + 20, tick_words(value, chart_.x.unit), "middle");
    }
    for (const double value : ticks(y_)) {
      line(x_.from, y_(value), x_.to, y_(value), "grid");
      text(x_.from - 8, y_(value) + 5, tick_words(value, chart_.y.unit), "end");
    }
    line(x_.from, y_.from, x_.to, y_.from, "axis");
    line(x_.from, y_.from, x_.from, y_.to, "axis");
    text((x_.from + x_.to) / 2, y_.from + 46, chart_.x.label, "middle");
    const double middle = (y_.from + y_.to) / 2;
    text(18, middle, chart_.y.label, "middle",
         "rotate(-90 18 " + text_of(middle) + ")");
  }

  // Markers: disc, square, triangle, diamond, inverted triangle.
  void marker(double x, double y, int look, const std::string& hint = {}) {
    static const std::vector<double> corners[] = {{},
                                                  {-5, -5, 5, -5, 5, 5, -5, 5},
                                                  {0, -6, 6, 5, -6, 5},
                                                  {0, -7, 7, 0, 0, 7, -7, 0},
                                                  {0, 6, 6, -5, -6, -5}};
    const auto& of = corners[static_cast<std::size_t>(look) % std::size(looks)];
    Html::Attributes attributes{{"fill", look_of(look).colour}};
    std::string points;
    for (std::size_t i = 0; i < of.size(); i += 2)
      points += text_of(x + of[i]) + "," + text_of(y + of[i + 1]) + " ";
    const std::string shape = of.empty() ? "circle" : "polygon";
    if (of.empty()) {
      attributes.insert(attributes.end(),
                        {{"cx", text_of(x)}, {"cy", text_of(y)}, {"r", "5"}});
    } else {
      attributes.push_back({"points", points});
    }
    if (hint.empty()) {
      svg_.single(shape, attributes);
    } else {
      svg_.open(shape, attributes).element("title", hint).close();
    }
  }

  void write_series(const Series& series) {
    std::string path;
    for (const auto& point : series.points) {
      if (!drawable(point)) continue;
      path += (path.empty() ? "M" : " L") + text_of(x_(point.x)) + " " +
              text_of(y_(point.y));
    }
    if (series.line && !path.empty()) stroke(path, series.look);
    for (const auto& point : series.points) {
      if (series.markers && drawable(point))
        marker(x_(point.x), y_(point.y), series.look);
    }
  }

  void stroke(const std::string& path, int look) {
    svg_.single("path", {{"class", "line"},
                         {"d", path},
                         {"stroke", look_of(look).colour},
                         {"stroke-dasharray", look_of(look).dash}});
  }

  // Calls f(series, x, row) for each entry of the key, with as many per row as
  // fit.
  template <typename F>
  int for_key(F f) const {
    double x = left;
    int row = 0;
    for (const auto& series : chart_.series) {
      if (series.label.empty()) continue;
      const double wide =
          52 + character * static_cast<double>(series.label.size());
      if (x > left && x + wide > right) {
        x = left;
        ++row;
      }
      f(series, x, row);
      x += wide;
    }
    return x > left ? row + 1 : row;
  }

  double key_height() const {
    return line_height * for_key([](const auto&, double, int) {}) + 6;
  }

  void write_key() {
    for_key([this](const Series& series, double x, int row) {
      const double y = top + line_height * row + 4;
      if (series.line) {
        stroke("M" + text_of(x) + " " + text_of(y) + " L" + text_of(x + 34) +
                   " " + text_of(y),
               series.look);
      }
      if (series.markers) marker(x + 17, y, series.look);
      text(x + 40, y + 5, series.label, "start");
    });
  }

  struct Box {
    double left, top, right, bottom;

    bool meets(const Box& other) const {
      return left < other.right && other.left < right && top < other.bottom &&
             other.top < bottom;
    }
    static Box around(double x, double y, double half_width,
                      double half_height) {
      return {x - half_width, y - half_height, x + half_width, y + half_height};
    }
  };

  // Puts the text of each mark where there is no other text, mark or line, and
  // joins it to its mark by a thin line.
  void write_marks() {
    std::vector<Box> taken;
    for (const auto& mark : chart_.labels) {
      if (drawable(mark.at))
        taken.push_back(Box::around(x_(mark.at.x), y_(mark.at.y), 8, 8));
    }
    for (const auto& series : chart_.series)
      cover(series, taken);
    for (const auto& mark : chart_.labels) {
      if (!drawable(mark.at)) continue;
      const double x = x_(mark.at.x), y = y_(mark.at.y);
      if (!mark.text.empty()) {
        const auto box = free_place(x, y, mark.text, taken);
        taken.push_back(box);
        line(x, y, std::clamp(x, box.left, box.right),
             std::clamp(y, box.top, box.bottom), "leader");
        text((box.left + box.right) / 2, box.bottom - 5, mark.text, "middle");
      }
      marker(x, y, mark.look, mark.hint);
    }
  }

  // Marks the boxes that a series' line passes through as taken.
  void cover(const Series& series, std::vector<Box>& taken) const {
    for (std::size_t i = 1; i < series.points.size(); ++i) {
      const auto &a = series.points[i - 1], &b = series.points[i];
      if (!series.line || !drawable(a) || !drawable(b)) continue;
      constexpr int steps = 100;
      for (int step = 0; step <= steps; ++step) {
        const double share = static_cast<double>(step) / steps;
        taken.push_back(Box::around(std::lerp(x_(a.x), x_(b.x), share),
                                    std::lerp(y_(a.y), y_(b.y), share), 4, 4));
      }
    }
  }

  Box free_place(double x, double y, const std::string& words,
                 const std::vector<Box>& taken) const {
    const double half = character * static_cast<double>(words.size()) / 2 + 2;
    for (double away = 12; away < 200; away += 12) {
      for (int i = 0; i < 12; ++i) {
        // Tries right and below first, because roofs come from above.
        const int turns = (i % 2 == 0 ? 1 : -1) * (i + 1) / 2;
        const double angle = turns * 0.5236 + 0.4;
        const auto box = Box::around(x + (away + half) * std::cos(angle),
                                     y + (away + 9) * std::sin(angle), half, 9);
        const bool inside = box.left > x_.from && box.right < x_.to &&
                            box.top > y_.to && box.bottom < y_.from;
        const bool is_free = std::ranges::none_of(
            taken, [&](const Box& other) { return box.meets(other); });
        if (inside && is_free) return box;
      }
    }
    return Box::around(x + half + 10, y, half, 9);
  }

  const Chart& chart_;
  Html svg_;
  Scale x_, y_;
  std::vector<double> xs_, ys_;  // all coordinates
};

}  // namespace

std::string draw(const Chart& chart) {
  return Drawing(chart).draw();
}

}  // namespace parlab
