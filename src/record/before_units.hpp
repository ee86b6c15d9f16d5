// What is assumed of records made before units had names: they say
// neither unit nor arithmetic, and name their ceilings by dtype. Nothing
// else may guess either.
#pragma once

#include "machine/ceilings.hpp"
#include "record/record.hpp"

namespace parlab {

// All computed plainly but three: products of doubles by `tensor` and by
// cuBLAS ran on tensor cores, and the variants whose names end in _tf32
// rounded their operands to that type.
void assume_unit(Record& record);

// "float" was "fma float", "double" was "fma double", "double on tensor
// cores" was "tensor double".
void assume_units(Ceilings& ceilings);

}  // namespace parlab
