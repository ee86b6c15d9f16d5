#include <algorithm>
#include <map>

#include "cluster/spread.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"

namespace parlab::page {
namespace {

Chart chart_of(const std::vector<Spread>& spreads) {
  Chart chart{.id = "fig-devices",
              .title = "Time of each device relative to the median device",
              .x = {"device, slowest first"},
              .y = {"time relative to the median device"},
              .series = {}};
  int look = 0;
  for (const auto& spread : spreads) {
    Series series{spread.variant + ", " + spread.point, {}, look++};
    for (std::size_t i = 0; i < spread.devices.size(); ++i) {
      series.points.push_back(
          {static_cast<double>(i + 1), spread.devices[i].slower});
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

Text outliers(const std::vector<Spread>& spreads) {
  std::map<std::string, double> slow;  // and how slow at most
  for (const auto& spread : spreads) {
    for (const auto& device : spread.devices) {
      if (device.slow)
        slow[device.device] = std::max(slow[device.device], device.slower);
    }
  }
  const Text bound = share(slow_device);
  if (slow.empty()) {
    return "No device is slower than the median device by more than " + bound +
           ".";
  }
  std::vector<Text> each;
  for (const auto& [device, by] : slow)
    each.push_back(device + " (" + Text(Quantity{by, Unit::factor}) +
                   " its time)");
  return "Slower than the median device by more than " + bound +
         " over the whole interval: " + joined(each, "; ") + ".";
}

}  // namespace

std::optional<Section> devices(const Measured& measured) {
  std::map<std::string, Run> runs;
  for (const auto& run : measured.runs)
    runs[run.id] = run;
  const auto spreads = device_spread(measured.control, runs);
  if (measured.control.empty()) return std::nullopt;
  Section section{.id = "devices", .title = "Devices", .label = "Devices"};
  if (spreads.empty()) {
    section.blocks = {Paragraph{"Only one device measured control points."}};
    return section;
  }
  section.blocks = {
      Paragraph{"Devices of the same model differ. Every job measured these "
                "control points on its device; 1 is the median device."},
      Paragraph{outliers(spreads)}, chart_of(spreads)};
  for (const auto& spread : spreads) {
    auto table = folded_numbers(spread.variant + ", " + spread.point,
                                {"device", "median", "relative", "95 %"});
    for (const auto& device : spread.devices) {
      const Quantity slower{device.slower, Unit::factor, device.ratio};
      table.add({device.device + (device.slow ? " (slow)" : ""),
                 Quantity{device.seconds, Unit::second}, slower,
                 Range{slower}});
    }
    section.add(table);
  }
  return section;
}

}  // namespace parlab::page
