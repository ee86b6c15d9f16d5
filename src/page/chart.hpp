// Charts with two logarithmic axes, as SVG that is part of the page. Series
// differ in marker and dash, never in colour alone.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace parlab::page {

using DataPoint = std::pair<double, double>;  // both positive

struct Series {
  std::string label;              // in the key; empty: not in it
  std::vector<DataPoint> points;  // along the line
  int look = 0;                   // which colour, dash and marker
  bool line = true, markers = true;
};

// A place of its own on the chart, with a short text beside it: the
// number of a table's row.
struct Mark {
  DataPoint at;
  std::string text;
  int look = 0;
};

struct Axis {
  std::string title;                         // empty when the numbers say it
  std::function<std::string(double)> label;  // of a tick
};

struct Chart {
  std::string title;  // for those who cannot see it
  Axis x, y;
  std::vector<Series> series;
  std::vector<Mark> marks;
};

// "" when there is nothing to draw. Points that are not positive
// and finite are left out.
std::string draw(const Chart& chart);

}  // namespace parlab::page
