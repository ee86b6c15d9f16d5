// A point and its phases, in order.
#pragma once

#include <array>
#include <span>

#include "sweep/bench.hpp"

namespace parlab {

// Lists the configurations, verifies them on all kinds of input, measures them
// in turns, verifies them again, measures energy, and stores the records.
// interrupted is asked between batches; when it says yes, the measurements
// under way are dropped. Returns the points that were observed.
Supervisor::Points run_point(Session& session, const PointPlan& point,
                             const Stop& interrupted);
// Shows observers again the points that an earlier worker completed.
void repeat_point(Session& session, const Supervisor::Points& points);

// The inputs that each result is verified on, in this order. Samples are taken
// on the last kind unless other inputs were asked for.
inline constexpr std::array input_kinds{InputKind::integers, InputKind::wide,
                                        InputKind::uniform};

// Executes every trial once on these inputs, unless it is already known to be
// wrong.
void verify(Bench& bench, InputKind kind);

// Takes samples on these inputs until all records are known well enough. The
// configurations take turns in each cache state, and some results are checked.
// If the inputs are not one of input_kinds, results are also verified on them
// before and after.
void sample_on(Bench& bench, InputKind inputs);
// Runs one more batch of each configuration that was measured on inputs of this
// kind. It runs like a batch of samples, on the inputs now loaded. The last
// result is checked; the times are dropped.
void check_as_timed(Bench& bench, InputKind measured_on);

// After the samples: verifies on all input_kinds again, and once under the
// conditions of a timed execution.
void verify_again(Bench& bench);

using PendingGroup = std::span<Pending* const>;
// Records whose energy will be measured; notes why for the others.
std::vector<Pending*> waiting_for_energy(Bench& bench);
// Measures in turns, as samples are taken, so that drift of the machine affects
// all of them. The inputs are made anew first. done: called with each group of
// records that has its joules, which takes minutes.
void measure_energy(Bench& bench, PendingGroup waiting,
                    const std::function<void(PendingGroup)>& done);

}  // namespace parlab
