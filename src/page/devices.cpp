#include <algorithm>
#include <map>

#include "cluster/spread.hpp"
#include "core/numbers.hpp"
#include "page/chart.hpp"
#include "page/sections.hpp"
#include "page/table.hpp"
#include "page/words.hpp"

namespace parlab::page {
namespace {

Chart chart_of(const std::vector<Spread>& spreads) {
  Chart chart;
  chart.title = "Times of each device over those of the device in the middle";
  chart.x = {"device, the slowest first",
             [](double value) { return significant(value, 1); }};
  chart.y = {"time over that of the device in the middle",
             [](double value) { return significant(value, 3); }};
  int look = 0;
  for (const auto& spread : spreads) {
    Series series{spread.variant + ", " + spread.point, {}, look++};
    for (std::size_t i = 0; i < spread.devices.size(); ++i) {
      series.points.emplace_back(static_cast<double>(i + 1),
                                 spread.devices[i].slower);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

std::string outliers(const std::vector<Spread>& spreads) {
  std::map<std::string, double> slow;  // by how much at the most
  for (const auto& spread : spreads) {
    for (const auto& device : spread.devices) {
      if (device.slow)
        slow[device.device] = std::max(slow[device.device], device.slower);
    }
  }
  if (slow.empty()) {
    return "No device is slower than the one in the middle by more than " +
           percent(slow_device) + ".";
  }
  std::string text = "Slower than the device in the middle by more than " +
                     percent(slow_device) + ", with their whole interval: ";
  for (const auto& [device, by] : slow) {
    if (device != slow.begin()->first) text += "; ";
    text += device + " (" + factor(by) + " its time)";
  }
  return text + ".";
}

}  // namespace

void write_devices(Html& html, const Measured& measured) {
  std::map<std::string, Run> runs;
  for (const auto& run : measured.runs)
    runs[run.id] = run;
  const auto spreads = device_spread(measured.control, runs);
  if (measured.control.empty()) return;
  html.open("section", {{"id", "devices"}})
      .element("h2", "Devices")
      .line_break();
  if (spreads.empty()) {
    html.element("p", "Control points were measured by one device alone.")
        .close()
        .line_break();
    return;
  }
  html.element("p",
               "Devices of one kind differ. Every job measured these control "
               "points on the device "
               "it was given; 1 is the device in the middle.");
  html.element("p", outliers(spreads)).line_break();
  if (const auto drawing = draw(chart_of(spreads)); !drawing.empty()) {
    html.open("figure").raw(drawing).close().line_break();
  }
  for (const auto& spread : spreads) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& device : spread.devices) {
      rows.push_back({device.device + (device.slow ? " (slow)" : ""),
                      duration(device.seconds), significant(device.slower, 4),
                      significant(device.ratio.low, 4) + "-" +
                          significant(device.ratio.high, 4)});
    }
    html.open("details").element("summary",
                                 spread.variant + ", " + spread.point);
    write_numbers(html, {"device", "median", "over the middle", "95 %"}, rows);
    html.close().line_break();
  }
  html.close().line_break();
}

}  // namespace parlab::page
