#include "places/presence.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "machine/driver_files.hpp"
#include "places/cuda/cuda_resources.hpp"

namespace parlab {
namespace {

// "580.159", from NVIDIA's management library; empty if it is missing.
std::string driver_version() {
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return "";
  const auto start = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  const auto stop = reinterpret_cast<int (*)()>(dlsym(library, "nvmlShutdown"));
  const auto ask = reinterpret_cast<int (*)(char*, unsigned)>(
      dlsym(library, "nvmlSystemGetDriverVersion"));
  char text[96] = {};
  if (start != nullptr && stop != nullptr && ask != nullptr && start() == 0) {
    if (ask(text, sizeof text) != 0) text[0] = 0;
    stop();
  }
  dlclose(library);
  return text;
}

// "GPU-8f3a...", as nvidia-smi writes it.
std::string written(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    char byte[3];
    std::snprintf(byte, sizeof byte, "%02x",
                  static_cast<unsigned char>(uuid.bytes[i]));
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += byte;
  }
  return text;
}

}  // namespace

std::optional<Detail> why_no_gpu() {
  int count = 0;
  const auto status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return std::nullopt;
  CudaAnswer answer{.said = cudaGetErrorString(status)};
  answer.none = status == cudaSuccess || status == cudaErrorNoDevice;
  cudaDriverGetVersion(&answer.driver);
  cudaRuntimeGetVersion(&answer.runtime);
  if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES"))
    answer.visible = std::string("CUDA_VISIBLE_DEVICES=") + visible;
  return why_unusable(answer);
}

std::vector<GpuFacts> gpus_present() {
  std::vector<GpuFacts> gpus;
  if (why_no_gpu()) return gpus;
  int count = 0, driver_api = 0, runtime = 0;
  cudaGetDeviceCount(&count);
  cudaDriverGetVersion(&driver_api);
  cudaRuntimeGetVersion(&runtime);
  std::string driver = driver_version();
  if (driver.empty()) driver = "CUDA " + cuda_version(driver_api);
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, device),
               "asking for the properties of device " + std::to_string(device));
    char pci[32] = {};
    cudaDeviceGetPCIBusId(pci, sizeof pci, device);
    gpus.push_back({.device = device,
                    .name = properties.name,
                    .uuid = written(properties.uuid),
                    .pci = pci,
                    .driver = driver,
                    .cuda = cuda_version(runtime)});
  }
  return gpus;
}

std::vector<GpuFacts> gpus_by_name() {
  // These variables of CUDA select the GPUs and order them.
  const bool chosen = std::getenv("CUDA_VISIBLE_DEVICES") != nullptr ||
                      std::getenv("CUDA_DEVICE_ORDER") != nullptr;
  auto gpus = chosen ? std::nullopt : gpus_of_driver();
  if (!gpus) return gpus_present();
  int runtime = 0;
  // a constant of the runtime, which starts nothing
  cudaRuntimeGetVersion(&runtime);
  for (auto& gpu : *gpus)
    gpu.cuda = cuda_version(runtime);
  return *gpus;
}

}  // namespace parlab
