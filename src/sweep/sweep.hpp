// Runs a plan: verifies every configuration, measures those that
// passed, records all of them.
#pragma once

#include "places/places.hpp"
#include "sweep/observer.hpp"
#include "sweep/plan.hpp"
#include "sweep/supervisor.hpp"

namespace parlab {

// Exit status: 0, 1 when any configuration failed or gave a wrong result,
// 130 when interrupted. One failing configuration does not end the
// sweep; where there is a supervisor, not even one that crashes. Throws
// UsageError when the plan cannot start.
int run_sweep(const Plan& plan,
              Observer& observer,
              Supervisor* supervisor = nullptr);
// The same at places that are open already.
int run_sweep(const Plan& plan,
              Observer& observer,
              Places& places,
              Supervisor* supervisor = nullptr);

}  // namespace parlab
