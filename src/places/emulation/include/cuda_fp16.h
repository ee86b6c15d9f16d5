// Stand-in for the toolkit's header of this name, for emulated kernels.
#pragma once
#include "places/emulation/narrow.hpp"

using __half = parlab::emulation::Narrow<parlab::half>;
using __half2 = parlab::emulation::NarrowPair<__half>;

namespace parlab::emulation::cuda {
PARLAB_CONVERSIONS(__half, half)
}  // namespace parlab::emulation::cuda
