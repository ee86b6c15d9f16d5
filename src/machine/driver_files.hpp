// The GPUs by the files of NVIDIA's driver, without CUDA, which takes a
// quarter of a second to start.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "facts/cause.hpp"
#include "machine/machine.hpp"

namespace parlab {

// The GPUs by their names, UUIDs, PCI addresses and driver, in the order
// of these addresses; `cuda` stays empty. Of NVIDIA's driver for Linux,
// whose README calls these files the /proc interface. Nothing where they
// are not there or do not say all of it, where this process may not open
// each of the devices, where one is cut into parts (MIG), or where they are of
// several kinds, which CUDA puts in another order: then only CUDA knows. `proc`
// and `dev` are for tests.
std::optional<std::vector<GpuFacts>> gpus_of_driver(
    const std::filesystem::path& proc = "/proc/driver/nvidia",
    const std::filesystem::path& dev = "/dev");

// What CUDA says where it finds no GPU that it can use.
struct CudaAnswer {
  std::string said = {};        // in its own words
  int driver = 0, runtime = 0;  // 12040; 0: there is no driver
  std::string visible = {};     // CUDA_VISIBLE_DEVICES=-1, where it is set
  bool none = false;            // and that is all that it says
};
Detail why_unusable(const CudaAnswer& answer);

std::string cuda_version(int number);  // 12040: "12.4"

}  // namespace parlab
