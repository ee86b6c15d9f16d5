#include "machine/driver_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "core/file.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

// Parses lines like "Model: \t\t NVIDIA H200".
std::map<std::string, std::string> fields_of(const fs::path& file) {
  std::map<std::string, std::string> fields;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon != line.npos)
      fields[boost::trim_copy(line.substr(0, colon))] =
          boost::trim_copy(line.substr(colon + 1));
  }
  return fields;
}

// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64 580.159.04 Release
// Build": the version is the first word of digits and points.
std::string driver_version(const fs::path& file) {
  std::istringstream words(first_line(file));
  for (std::string word; words >> word;) {
    if (word.find('.') != word.npos &&
        word.find_first_not_of("0123456789.") == word.npos) {
      return word;
    }
  }
  return "";
}

bool is_cut(const fs::path& proc) {
  for (const auto& gpu : entries_of(proc / "capabilities")) {
    for (const auto& part : entries_of(gpu / "mig")) {
      if (part.filename().string().starts_with("gi")) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::vector<GpuFacts>> gpus_of_driver(const fs::path& proc,
                                                    const fs::path& dev) {
  if (is_cut(proc)) return std::nullopt;
  if (access((dev / "nvidiactl").c_str(), R_OK | W_OK) != 0)
    return std::nullopt;
  const auto driver = driver_version(proc / "version");
  if (driver.empty()) return std::nullopt;
  std::vector<GpuFacts> gpus;
  for (const auto& folder : entries_of(proc / "gpus")) {
    auto fields = fields_of(folder / "information");
    const auto &name = fields["Model"], &uuid = fields["GPU UUID"],
               &pci = fields["Bus Location"];
    // A GPU that was not started yet has question marks.
    const bool says_all = !name.empty() && !pci.empty() &&
                          uuid.starts_with("GPU-") &&
                          uuid.find('?') == uuid.npos;
    const auto device = dev / ("nvidia" + fields["Device Minor"]);
    if (!says_all || access(device.c_str(), R_OK | W_OK) != 0)
      return std::nullopt;
    gpus.push_back(
        {static_cast<int>(gpus.size()), name, uuid, pci, driver, ""});
  }
  const auto is_of_another_kind = [&](const GpuFacts& gpu) {
    return gpu.name != gpus.front().name;
  };
  if (gpus.empty() || std::ranges::any_of(gpus, is_of_another_kind))
    return std::nullopt;
  return gpus;
}

Detail why_unusable(const CudaAnswer& answer) {
  const auto& [said, driver, runtime, visible, none] = answer;
  if (none && !visible.empty())
    return because(Cause::no_gpu_is_visible, visible);
  if (none) return {.cause = Cause::no_gpu_found};
  if (driver == 0) {
    std::error_code ignored;
    for (const std::string folder : {"/usr/lib/wsl/lib", "/usr/lib64-nvidia"}) {
      if (fs::exists(folder + "/libcuda.so.1", ignored))
        return because(Cause::driver_elsewhere, folder);
    }
    return {.cause = Cause::no_driver};
  }
  if (driver < runtime) {
    return because(Cause::driver_too_old, cuda_version(driver),
                   cuda_version(runtime));
  }
  return because(Cause::no_usable_gpu, said);
}

std::string cuda_version(int number) {
  return std::to_string(number / 1000) + "." +
         std::to_string(number % 1000 / 10);
}

}  // namespace parlab
