// One point of a sweep: every chosen configuration at one size and dtype.
#pragma once

#include <vector>

#include "sweep/session.hpp"
#include "sweep/supervisor.hpp"

namespace parlab {

struct PointPlan {
  Size size;
  Dtype dtype;
  std::vector<const Variant*> variants = {};
  // number of the point in its sweep: decides which of several GPUs takes it
  std::size_t number = 0;
  Size asked = {};  // set if it is emulated at a smaller size
  // an additional size that nobody asked for: it does not affect the exit
  // status
  bool also_tried = false;
};

// Lists the configurations, verifies them on all kinds of input, measures them
// in turns, verifies them again, measures energy, and stores the records.
// interrupted is asked between batches; when it says yes, the measurements
// under way are dropped. Returns the points that were observed.
Supervisor::Points run_point(Session& session, const PointPlan& point,
                             const Stop& interrupted);
// Shows observers again the points that an earlier worker completed.
void repeat_point(Session& session, const Supervisor::Points& points);

}  // namespace parlab
