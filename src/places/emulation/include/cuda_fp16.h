// Stand-in for the toolkit's header of this name, for emulated kernels.
#pragma once
#include "places/emulation/narrow.hpp"

using __half = parlab::emulation::Narrow<parlab::float16>;
using __half2 = parlab::emulation::NarrowPair<__half>;
using half = __half;
using half2 = __half2;

namespace parlab::emulation::cuda {
PARLAB_CONVERSIONS(__half, half)
}  // namespace parlab::emulation::cuda
