// The GPUs by the files of NVIDIA's driver, without CUDA, which takes a
// quarter of a second to start.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "machine/machine.hpp"

namespace parlab {

// The GPUs by their names, UUIDs, PCI addresses and driver, in the order
// of these addresses; `cuda` stays empty. Of NVIDIA's driver for Linux,
// whose README calls these files the /proc interface. Nothing where they
// are not there or do not say all of it, where this process may not open
// each of the devices, or where one is cut into parts (MIG): then only
// CUDA knows. `proc` and `dev` are for tests.
std::optional<std::vector<GpuFacts>> gpus_of_driver(
    const std::filesystem::path& proc = "/proc/driver/nvidia",
    const std::filesystem::path& dev = "/dev");

}  // namespace parlab
