// The header of this name that comes with NVIDIA's samples.
#pragma once
#include "helper_functions.h"
