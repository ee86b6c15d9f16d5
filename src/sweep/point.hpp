// One point of a sweep: every chosen configuration at one size and dtype.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "places/executor.hpp"
#include "record/store.hpp"
#include "sweep/observer.hpp"
#include "sweep/plan.hpp"

namespace parlab {

// Where variants can run. Made once for a sweep: one CUDA context, one set of warm threads.
struct Places {
  std::unique_ptr<Executor> host, gpu;
  std::string why_no_gpu;  // when variants want one and none can be used, or no longer

  Executor* of(const Variant& variant) const {
    if (!variant.on_gpu) return host.get();
    return why_no_gpu.empty() ? gpu.get() : nullptr;
  }
};

// What a sweep carries from point to point.
struct Session {
  const Plan& plan;
  Places& places;
  Observer& observer;
  Run run;
  std::unique_ptr<Store> store = nullptr;
  std::map<std::string, std::string> too_slow = {};  // configuration -> why it takes no larger size
  std::size_t done = 0;                              // measurements completed
  bool failed = false, passed = false, out_of_memory = false;
  bool ceilings_known = false;

  void open_store();
  // As measured before, by the same command on this machine; nullptr: not yet.
  const Record* recorded(const Record& record) const;
  void lose_gpu(const std::string& why);
  // Measures the roofs of the devices in use; at the first call only.
  void know_ceilings();
  const Ceilings& ceilings(const Variant& variant) const {
    return variant.on_gpu ? run.device : run.host;
  }
};

struct PointPlan {
  Size size;
  Dtype dtype;
  std::vector<const Variant*> variants;
};

std::size_t count_measurements(const Plan& plan, const PointPlan& point);

// Verifies on both kinds of input, measures in turns, verifies again, records. interrupted is asked
// between batches; when it says yes the measurements under way are dropped.
void run_point(Session& session, const PointPlan& point, const std::function<bool()>& interrupted);

}  // namespace parlab
