// Which half of the machine a record is of.
#pragma once

#include "record/record.hpp"

namespace parlab {

// It ran on a GPU, or would have where it failed or was emulated.
// Libraries are a backend on both sides: those of the GPU were compiled
// by nvcc, or had data to move.
bool on_gpu(const Record& record);

}  // namespace parlab
