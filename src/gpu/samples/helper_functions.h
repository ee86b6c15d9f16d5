// The header of this name that comes with NVIDIA's samples.
#pragma once
#include "helper_cuda.h"
#include "helper_string.h"
#include "helper_timer.h"
