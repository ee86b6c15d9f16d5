// The joules that a device of this machine uses, by counters of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "facts/cause.hpp"

namespace parlab {

// Why there are no joules.
struct NoEnergy : ExplainedError {
  using ExplainedError::ExplainedError;
};

class EnergyMeter {
 public:
  virtual ~EnergyMeter() = default;
  virtual std::string source() const = 0;  // "NVML", "RAPL package-0 + dram"
  // Since some moment; never fewer than before. Throws
  // NoEnergy, as the others do.
  virtual double joules() = 0;
  // At this time, by another sensor than joules(); nothing where there is none.
  virtual std::optional<double> watts() { return std::nullopt; }
  virtual std::optional<double> celsius() { return std::nullopt; }
  // Not this program's alone.
  virtual bool counts_other_programs() const { return false; }
  // The steady clock, and a sleep; invented in tests.
  virtual double now_s();
  virtual void rest(double seconds);
};

// The meter of a whole GPU, by NVIDIA's management library, which comes with
// the driver. uuid: "GPU-8f3a...". Throws NoEnergy.
std::unique_ptr<EnergyMeter> gpu_energy_meter(
    const std::string& uuid, const std::string& library = "libnvidia-ml.so.1");

// How many programs compute on a GPU, by the same library: what another one
// does there, no clock of ours can tell. This program counts, once it has
// started CUDA there. Nothing where the library does not say.
std::optional<int> programs_on_gpu(
    const std::string& uuid, const std::string& library = "libnvidia-ml.so.1");

// The meter of all processor packages and, where it is counted, memory, by
// RAPL, the running average power limit (Intel, and AMD since Zen), as
// Linux shows it (Documentation/power/powercap). classes: /sys/class, or
// a folder in its place. Throws NoEnergy.
std::unique_ptr<EnergyMeter> host_energy_meter(
    const std::filesystem::path& classes = "/sys/class");

}  // namespace parlab
