// NVML has no header here: what is declared is its documented C interface, of which
// libnvidia-ml.so.1 keeps names, types and numbers.
#include "gpu/shared_library.hpp"
#include "machine/energy_meter.hpp"

namespace parlab {
namespace {

struct Device;  // nvmlDevice_st

class Nvml final : public EnergyMeter {
 public:
  Nvml(const std::string& uuid, const std::string& library)
      : library_(library, "it comes with the NVIDIA driver") {
    library_.resolve(error_string_, "nvmlErrorString");
    library_.resolve(init_, "nvmlInit_v2");
    library_.resolve(shutdown_, "nvmlShutdown");
    library_.resolve(device_by_uuid_, "nvmlDeviceGetHandleByUUID");
    library_.resolve(total_energy_, "nvmlDeviceGetTotalEnergyConsumption");
    library_.resolve(power_, "nvmlDeviceGetPowerUsage");
    library_.resolve(temperature_, "nvmlDeviceGetTemperature");
    check(init_(), "nvmlInit_v2");
    try {
      check(device_by_uuid_(uuid.c_str(), &device_), "finding " + uuid);
      joules();  // a GPU without the counter, or a part of one, is known at once
    } catch (...) {
      shutdown_();
      throw;
    }
  }
  ~Nvml() override { shutdown_(); }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::string source() const override { return "NVML"; }

  double joules() override {
    unsigned long long millijoules = 0;
    check(total_energy_(device_, &millijoules), "the energy counter");
    return static_cast<double>(millijoules) / 1e3;
  }
  std::optional<double> watts() override {
    unsigned milliwatts = 0;
    check(power_(device_, &milliwatts), "the power sensor");
    return milliwatts / 1e3;
  }
  std::optional<double> celsius() override {
    constexpr int of_the_die = 0;  // NVML_TEMPERATURE_GPU
    unsigned degrees = 0;
    check(temperature_(device_, of_the_die, &degrees), "the thermometer");
    return degrees;
  }

 private:
  void check(int status, const std::string& what) const {
    if (status != 0) throw NoEnergy("NVML, " + what + ": " + error_string_(status));
  }

  SharedLibrary library_;
  Device* device_ = nullptr;
  const char* (*error_string_)(int) = nullptr;
  int (*init_)() = nullptr;
  int (*shutdown_)() = nullptr;
  int (*device_by_uuid_)(const char*, Device**) = nullptr;
  int (*total_energy_)(Device*, unsigned long long*) = nullptr;
  int (*power_)(Device*, unsigned*) = nullptr;
  int (*temperature_)(Device*, int, unsigned*) = nullptr;
};

}  // namespace

std::unique_ptr<EnergyMeter> gpu_energy_meter(const std::string& uuid, const std::string& library) {
  try {
    return std::make_unique<Nvml>(uuid, library);
  } catch (const PointError& error) {  // of the loader
    throw NoEnergy(error.what());
  }
}

}  // namespace parlab
