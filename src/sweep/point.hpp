// One point of a sweep: every chosen configuration at one size and dtype.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "places/places.hpp"
#include "record/ceilings_file.hpp"
#include "record/store.hpp"
#include "sweep/estimate.hpp"
#include "sweep/observer.hpp"
#include "sweep/plan.hpp"
#include "sweep/supervisor.hpp"

namespace parlab {

// What a sweep carries from point to point.
struct Session {
  const Plan& plan;
  Places& places;
  Observer& observer;
  Run run;
  std::unique_ptr<Store> store = nullptr;
  std::map<std::string, Record> elsewhere = {};      // by key: measured before, as plan.resume says
  std::map<std::string, std::string> too_slow = {};  // configuration -> why it takes no larger size
  std::map<std::string, std::string> endless = {};   // variant -> why it is not tried again
  std::map<std::string, Size> right_at_square = {};  // variant -> where it passed
  std::size_t done = 0;                              // measurements completed
  bool failed = false, passed = false, out_of_memory = false;
  bool ceilings_known = false;
  bool said_threads = false;  // that fewer run than were asked for
  std::optional<CeilingsOfMachine> stored_ceilings = std::nullopt;
  Supervisor* supervisor = nullptr;  // absent: everything happens in the one process there is

  void open_store();
  // Reads plan.resume, and the results when no store has them.
  void read_elsewhere();
  // As measured before, by the same command on this machine; nullptr: not yet.
  const Record* recorded(const Record& record) const;
  void lose(Place& place, const std::string& why);
  // What the verdict of a record says of the sweep so far.
  void count(const Record& record);
  // Finds or measures the roofs of the places in use; at the first call only.
  void know_ceilings();
  // Measures that part of them again; what was better before stays. Not where the plan gave them.
  void raise_ceilings(Place& place, const WantedCeilings& wanted);

 private:
  Ceilings ceilings_of(Place& place);
  bool keeps_ceilings() const;  // with the records, when these have a folder of their own
};

struct PointPlan {
  Size size;
  Dtype dtype;
  std::vector<const Variant*> variants;
  std::size_t number = 0;  // of the point in its sweep: decides which of several GPUs takes it
  Size asked = {};         // where it is emulated at a smaller one
};

// What run_point() would have to measure now.
Estimate estimate_point(Session& session, const PointPlan& point);

std::size_t count_measurements(const Plan& plan, const PointPlan& point);

// Verifies on all kinds of input, measures in turns, verifies again, records. interrupted is asked
// between batches; when it says yes the measurements under way are dropped. Returns what was
// observed.
Supervisor::Points run_point(Session& session, const PointPlan& point,
                             const std::function<bool()>& interrupted);
// The same when a worker before has come to its end: only observes what that one found.
void repeat_point(Session& session, const Supervisor::Points& points);

}  // namespace parlab
