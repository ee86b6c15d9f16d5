#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "core/file.hpp"
#include "core/text.hpp"
#include "machine/energy_meter.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

// Folders whose names begin with prefix; empty if there is no such class.
std::vector<fs::path> folders(const fs::path& of_class,
                              const std::string& prefix) {
  auto found = entries_of(of_class);
  std::erase_if(found, [&](const fs::path& path) {
    return !path.filename().string().starts_with(prefix);
  });
  return found;
}

double microjoules(const fs::path& file) {
  errno = 0;
  std::ifstream in(file);
  double value = 0;
  if (in >> value) return value;
  const std::string why =
      errno != 0 ? std::strerror(errno) : "it holds no number";
  throw NoEnergy(
      errno == EACCES ? Cause::rapl_not_permitted : Cause::rapl_not_read,
      file.string(), why);
}

// A counter that starts again at 0 after its highest value.
struct Zone {
  fs::path folder;
  double range, last;
};

class Rapl final : public EnergyMeter {
 public:
  explicit Rapl(const fs::path& classes) {
    std::vector<std::string> names;  // without duplicates
    // "intel-rapl:0" is a package and "intel-rapl:0:1" a part of it. A
    // package's counter includes its cores but not its memory.
    // "intel-rapl-mmio" shows the same package again.
    for (const auto& folder : folders(classes / "powercap", "intel-rapl:")) {
      const auto name = first_line(folder / "name");
      if (!name.starts_with("package") && name != "dram") continue;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      zones_.push_back({folder, microjoules(folder / "max_energy_range_uj"),
                        microjoules(folder / "energy_uj")});
    }
    if (zones_.empty()) {
      throw NoEnergy(Cause::rapl_has_no_package,
                     (classes / "powercap").string());
    }
    source_ = "RAPL " + join(names, " + ");
    for (const auto& folder : folders(classes / "hwmon", "hwmon")) {
      const auto chip = first_line(folder / "name");
      if (chip == "coretemp" || chip == "k10temp") {
        thermometers_.push_back(folder / "temp1_input");  // of the package
      }
    }
  }

  std::string source() const override { return source_; }
  bool counts_other_programs() const override { return true; }

  double joules() override {
    for (auto& zone : zones_) {
      const double now = microjoules(zone.folder / "energy_uj");
      sum_uj_ += now - zone.last + (now < zone.last ? zone.range : 0);
      zone.last = now;
    }
    return sum_uj_ / 1e6;
  }

  std::optional<double> celsius() override {
    std::optional<double> highest;
    for (const auto& thermometer : thermometers_) {
      double millidegrees = 0;
      if (std::ifstream(thermometer) >> millidegrees) {
        highest =
            std::max(highest.value_or(millidegrees / 1e3), millidegrees / 1e3);
      }
    }
    return highest;
  }

 private:
  std::vector<Zone> zones_;
  std::vector<fs::path> thermometers_;
  std::string source_;
  double sum_uj_ = 0;
};

}  // namespace

std::unique_ptr<EnergyMeter> host_energy_meter(const fs::path& classes) {
  return std::make_unique<Rapl>(classes);
}

}  // namespace parlab
