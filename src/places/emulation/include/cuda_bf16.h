// Stand-in for the toolkit's header of this name, for emulated kernels.
#pragma once
#include "places/emulation/narrow.hpp"

using __nv_bfloat16 = parlab::emulation::Narrow<parlab::bfloat16>;
using __nv_bfloat162 = parlab::emulation::NarrowPair<__nv_bfloat16>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

namespace parlab::emulation::cuda {
PARLAB_CONVERSIONS(__nv_bfloat16, bfloat16)
}  // namespace parlab::emulation::cuda
