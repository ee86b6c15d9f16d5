// Replaces the header of this name in NVIDIA's samples.
#pragma once
#include "helper_cuda.h"
