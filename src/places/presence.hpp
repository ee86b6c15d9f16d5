// Which GPUs can this build use? Answered without touching anything
// else of the framework.
#pragma once

#include <optional>
#include <vector>

#include "facts/cause.hpp"
#include "machine/machine.hpp"

namespace parlab {

// Nothing when there is one; otherwise why not.
std::optional<Detail> why_no_gpu();

// All of them, in CUDA's order; none when why_no_gpu() says something.
std::vector<GpuFacts> gpus_present();

// The same for who only wants to name this machine: CUDA is not started
// where the driver's files tell (machine/driver_files.hpp), and the
// numbers are not CUDA's.
std::vector<GpuFacts> gpus_by_name();

}  // namespace parlab
