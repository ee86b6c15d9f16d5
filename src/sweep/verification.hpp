// Whether the trials of a point compute what they should.
#pragma once

#include <array>

#include "sweep/bench.hpp"

namespace parlab {

// Inputs that each result is verified on, in this order; samples are taken on
// the last.
constexpr std::array input_kinds{InputKind::integers, InputKind::wide,
                                 InputKind::uniform};

// Executes every trial that is not known to be wrong once on these inputs.
void verify(Bench& bench, InputKind kind);

// After the samples: on all kinds of inputs once more, and once as a timed
// execution is. At first the inputs are those of the samples.
void verify_again(Bench& bench);

}  // namespace parlab
