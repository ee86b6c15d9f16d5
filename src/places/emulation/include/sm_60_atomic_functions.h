// Stand-in for the toolkit's header of this name, for emulated kernels.
#pragma once
#include "places/emulation/runtime.hpp"
