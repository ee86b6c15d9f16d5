// Joules of the trials of a point, in turns.
#pragma once

#include <span>
#include <vector>

#include "sweep/bench.hpp"

namespace parlab {

// Records whose energy will be measured, as far as it can be; of the others it
// says why not.
std::vector<Pending*> waiting_for_energy(Bench& bench);

// As samples are taken, in turns: a drift of the machine falls on all of them.
// The inputs are made anew first. done: called with each group of
// trials that has its joules, which takes minutes.
void measure_energy(Bench& bench,
                    std::span<Pending* const> waiting,
                    const std::function<void(std::span<Pending* const>)>& done);

}  // namespace parlab
