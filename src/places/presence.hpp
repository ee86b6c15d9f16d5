// Says which GPUs this build can use, without any other part of the framework.
#pragma once

#include <optional>
#include <vector>

#include "facts/cause.hpp"
#include "machine/machine.hpp"

namespace parlab {

// Nothing if there is one; otherwise the reason.
std::optional<Detail> why_no_gpu();

// All GPUs in CUDA's order; empty if why_no_gpu() gives a reason.
std::vector<GpuFacts> gpus_present();

// The same for callers that only need to name this machine. CUDA is not started
// if the driver's files suffice (machine/driver_files.hpp). The numbers are not
// CUDA's.
std::vector<GpuFacts> gpus_by_name();

}  // namespace parlab
