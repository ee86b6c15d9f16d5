// One point of a sweep: every chosen configuration at one size and dtype.
#pragma once

#include <functional>
#include <vector>

#include "sweep/estimate.hpp"
#include "sweep/plan.hpp"
#include "sweep/session.hpp"
#include "sweep/supervisor.hpp"

namespace parlab {

struct PointPlan {
  Size size;
  Dtype dtype;
  std::vector<const Variant*> variants;
  // of the point in its sweep: decides which of several GPUs takes it
  std::size_t number = 0;
  Size asked = {};  // where it is emulated at a smaller one
};

// What run_point() would have to measure now.
Estimate estimate_point(Session& session, const PointPlan& point);

// How many records it has, as far as its places stay usable.
std::size_t count_measurements(const Plan& plan,
                               Places& places,
                               const PointPlan& point);

// Verifies on all kinds of input, measures in turns, verifies again, records.
// interrupted is asked between batches; when it says yes the measurements
// under way are dropped. Returns what was observed.
Supervisor::Points run_point(Session& session,
                             const PointPlan& point,
                             const std::function<bool()>& interrupted);
// The same when a worker before has come to its end: only
// observes what that one found.
void repeat_point(Session& session, const Supervisor::Points& points);

}  // namespace parlab
