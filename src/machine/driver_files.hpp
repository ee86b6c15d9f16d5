// Finds the GPUs by the files of NVIDIA's driver, without CUDA, which takes a
// quarter of a second to start.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "facts/cause.hpp"
#include "machine/machine.hpp"

namespace parlab {

// The GPUs with their names, UUIDs, PCI addresses and driver, sorted by
// address; `cuda` stays empty. The files come from NVIDIA's driver for Linux,
// whose README calls them the /proc interface. Nothing if only CUDA can know:
// the files are missing or incomplete, this process may not open each of the
// devices, one is partitioned (MIG), or they are of several models, which CUDA
// sorts in another order. `proc` and `dev` are for tests.
std::optional<std::vector<GpuFacts>> gpus_of_driver(
    const std::filesystem::path& proc = "/proc/driver/nvidia",
    const std::filesystem::path& dev = "/dev");

// CUDA's answer if it finds no usable GPU.
struct CudaAnswer {
  std::string said = {};        // in its own words
  int driver = 0, runtime = 0;  // 12040 for 12.4; 0: there is no driver
  std::string visible = {};     // CUDA_VISIBLE_DEVICES=-1, if it is set
  bool none = false;            // CUDA only reports that there is no GPU
};
Detail why_unusable(const CudaAnswer& answer);

std::string cuda_version(int number);  // 12040: "12.4"

}  // namespace parlab
