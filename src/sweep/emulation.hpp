// How much an emulated execution may take.
#pragma once

#include "core/workload.hpp"

namespace parlab {

// The size itself, or the largest one reached by halving every extent whose work an emulation ends
// in about a second.
Size size_to_emulate(const Workload& workload, Size size, Dtype dtype);

}  // namespace parlab
