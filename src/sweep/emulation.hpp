// At which sizes a variant is emulated.
#pragma once

#include "core/workload.hpp"

namespace parlab {

// The size itself, or the largest one reached by halving every extent whose
// work an emulation ends in about a second.
Size size_to_emulate(const Workload& workload, Size size, Dtype dtype);

// Whether all extents are equal, so that a variant may take one
// for another and be right.
bool is_square(const Workload& workload, const Size& size);
// A small size whose extents all differ, with the parameters of this one.
Size small_rectangle(const Workload& workload, Size size);
// The same with equal extents.
Size small_square(const Workload& workload, Size size);

}  // namespace parlab
