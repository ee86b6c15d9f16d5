// Runs a plan: verifies every configuration, measures those that pass, and
// records all of them.
#pragma once

#include <vector>

#include "places/places.hpp"
#include "sweep/observer.hpp"
#include "sweep/plan.hpp"
#include "sweep/supervisor.hpp"

namespace parlab {

// One estimate for each size and dtype, in the plan's order. Opens the places,
// but measures and writes nothing. Throws UsageError when the plan cannot
// start.
std::vector<Estimate> estimate_sweep(const Plan& plan, Observer& observer);

// Exit status: 0; 1 when any configuration failed or gave a wrong result; 130
// when interrupted. A failing configuration does not end the sweep. Under a
// supervisor that was started, not even a crash does. Throws UsageError when
// the plan cannot start.
int run_sweep(const Plan& plan, Observer& observer,
              Supervisor& supervisor = unsupervised());
// The same with places that are already open.
int run_sweep(const Plan& plan, Observer& observer, Places& places,
              Supervisor& supervisor = unsupervised());

}  // namespace parlab
