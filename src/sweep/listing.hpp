// The configurations of one point, and the records that are to be made of them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sweep/measurement.hpp"
#include "sweep/point.hpp"

namespace parlab {

// One configuration and what is known of it so far.
struct Trial {
  Call call;
  Place* place = nullptr;  // where it can run
  Verdict verdict = Verdict::unverified;
  Detail detail = {};
  Detail about_size = {};  // where it is none that was asked for
  Detail doubt = {};  // whether it failed by its own fault: it is tried again
  std::string library = {};
  LaunchShape launch = {};
  std::map<std::string, double> errors = {};  // as in Record
  double estimate_s = 0;
  std::optional<TransferTimes> transfers = {};
  // of an execution of a team: in transfers between its GPUs
  std::optional<double> moving_s = {};

  bool passed() const { return verdict == Verdict::passed; }
  // A variant may throw what it likes: no failure is a success, or no verdict.
  void end(Verdict why, Detail because) {
    const bool is_end = why != Verdict::passed && why != Verdict::unverified;
    verdict = is_end ? why : Verdict::launch_failed;
    detail = std::move(because);
  }
};

// The record of a trial on one kind of inputs, in one cache state.
struct Pending {
  Trial* trial;
  Record record;
  bool recorded_before = false;
  std::unique_ptr<Measurement> measurement = nullptr;
};

struct Listing {
  std::deque<Trial> trials;
  // by kind of inputs and cache state, as the plan orders them
  std::vector<Pending> pending;
};

// All configurations of the point, with what earlier points, earlier runs and
// workers that died say of them.
Listing list_point(Session& session, const PointPlan& point);

// The measurements that run_point() would make now.
Estimate estimate_point(Session& session, const PointPlan& point);

// How many records it has, as far as its places stay usable.
std::size_t count_measurements(const Plan& plan, Places& places,
                               const PointPlan& point);

bool is_timed(const Plan& plan, const Trial& trial);

// "dmv/serial/plain float 64x64 threads=2", as the supervisor calls it.
std::string name_of(const Call& call);
// A new record of the trial: who it is, and no verdict yet.
Record blank_record(const Session& session, const Trial& trial, Cache cache,
                    InputKind inputs);

// Earlier points and dead workers may have decided on the trial.
void recall(Session& session, Trial& trial);
// A variant that is right at a square only may have taken one extent for
// another: its detail says so.
void compare_with_square(Session& session, Trial& trial);

// Roughly what one execution takes; nobody measured it yet.
double rough_seconds(const Plan& plan, const Trial& trial);
bool uses_host_blas(const Trial& trial);

// Usable, with something to measure.
std::vector<Place*> places_in_use(const Listing& listing);

}  // namespace parlab
