// The configurations of one point, and the records to be made of them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sweep/measurement.hpp"
#include "sweep/session.hpp"

namespace parlab {

// One point of a sweep: every chosen configuration at one size and dtype.
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

// Whether an element has another value than it must have, and nothing tells
// why: of a race or an access out of bounds, the cause says what is wrong.
bool is_wrong_value(Cause cause);

// One configuration and what is known of it so far.
struct Trial {
  Call call;
  Place* place = nullptr;  // where it can run
  Verdict verdict = Verdict::unverified;
  Detail detail = {};
  Detail about_size = {};  // set if it is not the size that was asked for
  // whether another variant may have caused the failure: it is tried again
  Detail doubt = {};
  std::string library = {};
  LaunchShape launch = {};
  std::map<std::string, double> errors = {};  // as in Record
  double estimate_s = 0;
  std::optional<TransferTimes> transfers = {};
  // seconds that one execution of a team spends in transfers between its GPUs
  std::optional<double> moving_s = {};

  bool passed() const { return verdict == Verdict::passed; }
  // A variant may throw any exception. A failure must not end up as a success
  // or without a verdict.
  void end(Verdict why, Detail because) {
    const bool is_end = why != Verdict::passed && why != Verdict::unverified;
    verdict = is_end ? why : Verdict::launch_failed;
    detail = std::move(because);
  }
  // The reference failed, which says nothing about the variant.
  void give_up(const std::exception& why) {
    verdict = Verdict::unverified;
    detail = {.cause = Cause::reference_failed, .further = {detail_of(why)}};
  }
  // Nothing has been decided yet.
  bool is_open() const { return verdict == Verdict::unverified && !detail; }
};

// The record of a trial with one kind of inputs in one cache state.
struct Pending {
  Trial* trial;
  Record record;
  bool recorded_before = false;
  std::unique_ptr<Measurement> measurement = nullptr;
  // On the host: seconds of the roof while the samples were taken, and the
  // upper end of their interval.
  std::optional<Interval> roof = {};
};

struct Listing {
  std::deque<Trial> trials;
  // by kind of inputs and cache state, in the plan's order
  std::vector<Pending> pending;
};

// All configurations of the point, with verdicts from earlier points, earlier
// runs and workers that died.
Listing list_point(Session& session, const PointPlan& point);

// The measurements that run_point() would take now.
Estimate estimate_point(Session& session, const PointPlan& point);

// How many records the point has, if its places stay usable.
std::size_t count_measurements(const Plan& plan, Places& places,
                               const PointPlan& point);

bool is_timed(const Plan& plan, const Trial& trial);

// "dmv/serial/plain float 64x64 threads=2", the name that the supervisor uses.
std::string name_of(const Call& call);
// A new record of the trial, without a verdict.
Record blank_record(const Session& session, const Trial& trial, Cache cache,
                    InputKind inputs);

// Applies verdicts on the trial from earlier points and dead workers.
void recall(Session& session, Trial& trial);
// A variant that is right only at a square may have confused two extents. Its
// detail says so.
void compare_with_square(Session& session, Trial& trial);

// Rough time of one execution, before any measurement.
double rough_seconds(const Plan& plan, const Trial& trial);
bool uses_host_blas(const Trial& trial);

// Places that are usable and have something to measure.
std::vector<Place*> places_in_use(const Listing& listing);

}  // namespace parlab
