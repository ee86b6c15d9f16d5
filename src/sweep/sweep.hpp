// Runs a plan: verifies every configuration, measures those that
// passed, records all of them.
#pragma once

#include <vector>

#include "places/places.hpp"
#include "sweep/observer.hpp"
#include "sweep/plan.hpp"
#include "sweep/supervisor.hpp"

namespace parlab {

// One for each size and dtype, in the order of the plan. Opens the
// places, measures nothing, writes nothing. Throws UsageError when
// the plan cannot start.
std::vector<Estimate> estimate_sweep(const Plan& plan, Observer& observer);

// Exit status: 0, 1 when any configuration failed or gave a wrong result,
// 130 when interrupted. One failing configuration does not end the
// sweep; where a supervisor was started, not even one that crashes. Throws
// UsageError when the plan cannot start.
int run_sweep(const Plan& plan, Observer& observer,
              Supervisor& supervisor = unsupervised());
// The same at places that are open already.
int run_sweep(const Plan& plan, Observer& observer, Places& places,
              Supervisor& supervisor = unsupervised());

}  // namespace parlab
