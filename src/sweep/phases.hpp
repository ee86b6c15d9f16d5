// The phases of a point, in their order.
#pragma once

#include <array>
#include <span>

#include "sweep/bench.hpp"

namespace parlab {

// Inputs that each result is verified on, in this order; samples are taken on
// the last, where nothing else was asked for.
inline constexpr std::array input_kinds{InputKind::integers, InputKind::wide,
                                        InputKind::uniform};

// Executes every trial that is not known to be wrong once on these inputs.
void verify(Bench& bench, InputKind kind);

// Samples on these inputs, in each cache state in turns, some of them judged,
// until all records are known well enough. Before and after them results are
// verified on these inputs, too, if they are none of input_kinds.
void sample_on(Bench& bench, InputKind inputs);
// A batch of each configuration that was measured on such inputs, as for
// samples, whose last result is judged; its times are not kept. It runs on the
// inputs that are loaded.
void check_as_timed(Bench& bench, InputKind measured_on);

// After the samples: on all input_kinds once more, and once as a timed
// execution is.
void verify_again(Bench& bench);

using PendingGroup = std::span<Pending* const>;
// Records whose energy will be measured, as far as it can be; of the others it
// says why not.
std::vector<Pending*> waiting_for_energy(Bench& bench);
// As samples are taken, in turns: a drift of the machine falls on all of them.
// The inputs are made anew first. done: called with each group of records that
// has its joules, which takes minutes.
void measure_energy(Bench& bench, PendingGroup waiting,
                    const std::function<void(PendingGroup)>& done);

// Makes the record complete, with verdict, samples and roof, and stores it. A
// time that beats its roof is doubted, after the roof was measured again.
void store(Session& session, Pending& pending);

}  // namespace parlab
