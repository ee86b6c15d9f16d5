#include "counters/warp_picture.hpp"

#include <map>
#include <set>

#include "core/text.hpp"
#include "render/markup.hpp"

namespace parlab {
namespace {

constexpr double width = 720, lanes_x = 150, places_x = 520, top = 64,
                 row_height = 15, box_height = 11;
constexpr int lanes = 32;
constexpr std::int64_t sector_bytes = 32, bank_bytes = 4, banks = 32;
constexpr const char *dark = "#222222", *calm = "#0072b2", *loud = "#b34d00";

std::string px(double value) {
  return significant(value, 5, 1);
}

class WarpDrawing {
 public:
  WarpDrawing(const CountedLine& line, const std::string& title) : line_(line) {
    collect();
    open(title);
    draw_places();
    draw_lanes();
    svg_.close();
  }
  std::string text() const { return svg_.str() + "\n"; }

 private:
  bool shared() const { return is_shared(line_.access); }

  // The sectors or banks that a lane accesses.
  std::set<std::int64_t> places_of(int lane) const {
    const auto first = line_.first[static_cast<std::size_t>(lane)];
    std::set<std::int64_t> places;
    if (first < 0) return places;
    const auto size = shared() ? bank_bytes : sector_bytes;
    for (auto at = first / size; at <= (first + line_.bytes - 1) / size; ++at)
      places.insert(shared() ? at % banks : at);
    return places;
  }

  void collect() {
    for (int lane = 0; lane < lanes; ++lane) {
      const auto first = line_.first[static_cast<std::size_t>(lane)];
      for (const auto place : places_of(lane))
        words_[place].insert(first / bank_bytes);
    }
    std::size_t row = 0;
    for (const auto& [place, words] : words_)
      row_of_[place] = row++;
  }

  double y_of_lane(int lane) const { return top + lane * row_height; }
  // Places are spread over the height of the lanes.
  double y_of_place(std::int64_t place) const {
    const auto count =
        static_cast<double>(std::max<std::size_t>(row_of_.size(), 2));
    const auto row = static_cast<double>(row_of_.at(place));
    return row_of_.size() == 1
               ? top + (lanes - 1) * row_height / 2
               : top + row * (lanes - 1) * row_height / (count - 1);
  }
  // Different words of one bank are served one after the other.
  bool is_crowded(std::int64_t place) const {
    return shared() && words_.at(place).size() > 1;
  }

  void open(const std::string& title) {
    const double height = top + lanes * row_height + 12;
    svg_.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                      {"viewBox", "0 0 " + px(width) + " " + px(height)},
                      {"width", px(width)},
                      {"height", px(height)},
                      {"font-family", "sans-serif"},
                      {"font-size", "12"},
                      {"fill", dark}});
    svg_.element("title", title);
    svg_.single("rect",
                {{"width", "100%"}, {"height", "100%"}, {"fill", "#ffffff"}});
    double y = 18;
    for (const auto& part : wrap(title, 100)) {
      say(12, y, part, "start");
      y += 15;
    }
    say(lanes_x, top - 12, "lanes of the first warp", "end");
    say(width - 12, top - 12,
        shared() ? "banks of shared memory"
                 : "sectors of 32 bytes of " + line_.array,
        "end");
  }

  void say(double x, double y, const std::string& text, const char* anchor) {
    svg_.element("text", text,
                 {{"x", px(x)}, {"y", px(y)}, {"text-anchor", anchor}});
  }

  void draw_places() {
    for (const auto& [place, words] : words_) {
      const auto y = y_of_place(place);
      svg_.single("rect", {{"x", px(places_x)},
                           {"y", px(y - box_height / 2)},
                           {"width", "44"},
                           {"height", px(box_height)},
                           {"rx", "2"},
                           {"fill", is_crowded(place) ? loud : calm}});
      std::string label =
          shared() ? "bank " + std::to_string(place)
                   : "from byte " + std::to_string(place * sector_bytes);
      if (is_crowded(place))
        label += ": " + std::to_string(words.size()) + " words";
      say(places_x + 52, y + 4, label, "start");
    }
  }

  void draw_lanes() {
    for (int lane = 0; lane < lanes; ++lane) {
      const auto y = y_of_lane(lane);
      const auto places = places_of(lane);
      say(lanes_x - 12, y + 4, std::to_string(lane), "end");
      svg_.single("circle", {{"cx", px(lanes_x)},
                             {"cy", px(y)},
                             {"r", "4"},
                             {"stroke", dark},
                             {"fill", places.empty() ? "none" : dark}});
      for (const auto place : places) {
        svg_.single("line", {{"x1", px(lanes_x + 5)},
                             {"y1", px(y)},
                             {"x2", px(places_x)},
                             {"y2", px(y_of_place(place))},
                             {"stroke", is_crowded(place) ? loud : calm},
                             {"stroke-width", "1"},
                             {"stroke-opacity", "0.7"}});
      }
    }
  }

  const CountedLine& line_;
  std::map<std::int64_t, std::set<std::int64_t>> words_;  // words by place
  std::map<std::int64_t, std::size_t> row_of_;
  Html svg_;
};

}  // namespace

std::string picture_of_warp(const CountedLine& line, const std::string& title) {
  return WarpDrawing(line, title).text();
}

}  // namespace parlab
