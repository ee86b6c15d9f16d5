// NVML's header is not available here. These declarations follow its documented
// C interface; libnvidia-ml.so.1 keeps names, types and numbers stable.
#include "core/types.hpp"
#include "gpu/shared_library.hpp"
#include "machine/energy_meter.hpp"

namespace parlab {
namespace {

struct Device;  // nvmlDevice_st

// The library, initialized, and one GPU. Throws NoEnergy, and the loader's
// PointError.
class NvmlDevice {
 public:
  NvmlDevice(const std::string& uuid, const std::string& library)
      : library_(library, "it comes with the NVIDIA driver") {
    resolve(error_string_, "nvmlErrorString");
    resolve(init_, "nvmlInit_v2");
    resolve(shutdown_, "nvmlShutdown");
    resolve(device_by_uuid_, "nvmlDeviceGetHandleByUUID");
    check(init_(), "nvmlInit_v2");
    try {
      check(device_by_uuid_(uuid.c_str(), &device_), "finding " + uuid);
    } catch (...) {
      shutdown_();
      throw;
    }
  }
  ~NvmlDevice() { shutdown_(); }
  NvmlDevice(const NvmlDevice&) = delete;
  NvmlDevice& operator=(const NvmlDevice&) = delete;

  operator Device*() const { return device_; }
  template <typename F>
  void resolve(F*& function, const char* name) const {
    library_.resolve(function, name);
  }
  void check(int status, const std::string& what) const {
    if (status == 0) return;
    throw NoEnergy(Cause::nvml_failed, what, error_string_(status));
  }

 private:
  SharedLibrary library_;
  Device* device_ = nullptr;
  const char* (*error_string_)(int) = nullptr;
  int (*init_)() = nullptr;
  int (*shutdown_)() = nullptr;
  int (*device_by_uuid_)(const char*, Device**) = nullptr;
};

class Nvml final : public EnergyMeter {
 public:
  Nvml(const std::string& uuid, const std::string& library)
      : device_(uuid, library) {
    device_.resolve(total_energy_, "nvmlDeviceGetTotalEnergyConsumption");
    device_.resolve(power_, "nvmlDeviceGetPowerUsage");
    device_.resolve(temperature_, "nvmlDeviceGetTemperature");
    // fails at once for a GPU without the counter, or a part of a GPU
    joules();
  }

  std::string source() const override { return "NVML"; }
  bool counts_other_programs() const override { return true; }

  double joules() override {
    unsigned long long millijoules = 0;
    device_.check(total_energy_(device_, &millijoules), "the energy counter");
    return static_cast<double>(millijoules) / 1e3;
  }
  std::optional<double> watts() override {
    unsigned milliwatts = 0;
    device_.check(power_(device_, &milliwatts), "the power sensor");
    return milliwatts / 1e3;
  }
  std::optional<double> celsius() override {
    constexpr int of_the_die = 0;  // NVML_TEMPERATURE_GPU
    unsigned degrees = 0;
    device_.check(temperature_(device_, of_the_die, &degrees),
                  "the thermometer");
    return degrees;
  }

 private:
  NvmlDevice device_;
  int (*total_energy_)(Device*, unsigned long long*) = nullptr;
  int (*power_)(Device*, unsigned*) = nullptr;
  int (*temperature_)(Device*, int, unsigned*) = nullptr;
};

}  // namespace

std::unique_ptr<EnergyMeter> gpu_energy_meter(const std::string& uuid,
                                              const std::string& library) {
  try {
    return std::make_unique<Nvml>(uuid, library);
  } catch (const PointError& error) {  // from the loader
    throw NoEnergy(error.detail);
  }
}

std::optional<int> programs_on_gpu(const std::string& uuid,
                                   const std::string& library) {
  // NVML_ERROR_INSUFFICIENT_SIZE: the count is valid all the same
  constexpr int too_little_room = 7;
  try {
    const NvmlDevice device(uuid, library);
    int (*programs)(Device*, unsigned*, void*) = nullptr;
    device.resolve(programs, "nvmlDeviceGetComputeRunningProcesses_v3");
    unsigned count = 0;
    const int status = programs(device, &count, nullptr);
    if (status != 0 && status != too_little_room) return std::nullopt;
    return static_cast<int>(count);
  } catch (const ExplainedError&) {
    return std::nullopt;
  }
}

}  // namespace parlab
