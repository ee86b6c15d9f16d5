// The joules that a device of this machine uses, from its own counters.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "core/clock.hpp"
#include "facts/cause.hpp"

namespace parlab {

// Why joules are not available.
struct NoEnergy : ExplainedError {
  using ExplainedError::ExplainedError;
};

class EnergyMeter {
 public:
  virtual ~EnergyMeter() = default;
  virtual std::string source() const = 0;  // "NVML", "RAPL package-0 + dram"
  // Joules since some moment; they never decrease. Throws NoEnergy, as the
  // other functions do.
  virtual double joules() = 0;
  // The current power from another sensor than that of joules(); nothing if
  // there is none.
  virtual std::optional<double> watts() { return std::nullopt; }
  virtual std::optional<double> celsius() { return std::nullopt; }
  // Whether other programs' joules are included.
  virtual bool counts_other_programs() const { return false; }
  // The steady clock and a sleep; tests replace both.
  virtual double now_s() { return seconds_since({}); }
  virtual void rest(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
};

// The meter of a whole GPU, from NVIDIA's management library, which comes with
// the driver. uuid: "GPU-8f3a...". Throws NoEnergy.
std::unique_ptr<EnergyMeter> gpu_energy_meter(
    const std::string& uuid, const std::string& library = "libnvidia-ml.so.1");

// The number of programs that compute on a GPU, from the same library; no clock
// of ours shows what another program does there. This program counts once it
// has started CUDA there. Nothing if the library does not say.
std::optional<int> programs_on_gpu(
    const std::string& uuid, const std::string& library = "libnvidia-ml.so.1");

// The meter of all processor packages and, if it is counted, memory. It reads
// RAPL, the running average power limit (Intel, and AMD since Zen), as Linux
// shows it (Documentation/power/powercap). classes: /sys/class, or a folder in
// its place. Throws NoEnergy.
std::unique_ptr<EnergyMeter> host_energy_meter(
    const std::filesystem::path& classes = "/sys/class");

}  // namespace parlab
