// Kernels with planted faults, and clean ones of the same kinds, by name: see emulation_faults.cu.
#pragma once

#include <string>

#include "places/emulation/emulated_gpu.hpp"

namespace planted {

// Runs the named case on n elements with blocks of `block` threads; returns the sum of what it
// computed. Throws what Gpu::launch throws.
double run(parlab::EmulatedGpu& gpu, const std::string& name, int n, int block);

// Launches a clean kernel with a block of this many threads.
void launch_with_block(parlab::EmulatedGpu& gpu, int threads);

}  // namespace planted
