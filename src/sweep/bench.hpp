// One problem, loaded at the places of a point, where its trials run.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "places/host/kept_state.hpp"
#include "sweep/listing.hpp"
#include "verify/problem.hpp"

namespace parlab {

struct Bench {
  Session& session;
  Listing& listing;
  const Stop& interrupted;
  std::unique_ptr<Problem> problem;
  // that the first check of a result took, which makes its oracle
  double oracle_s = 0;
  // Times are complete, and their results were right afterwards: a device
  // that is lost now costs no more than joules.
  bool proven = false;
  std::map<const Place*, Detail> no_energy = {};  // why no more of it
};

// Nothing where no trial can run: there is no place for it, or no memory,
// which is then the verdict of the trials.
std::optional<Bench> set_up_bench(Session& session, const PointPlan& point,
                                  Listing& listing, const Stop& interrupted);

// Makes these inputs, and loads them at all places in use.
void load_inputs(Bench& bench, InputKind kind);
// The same inputs again, after a variant may have damaged them.
void reload_inputs(Bench& bench);
void load_everywhere(Bench& bench);

// Makes the device of a trial that failed to launch usable again. True: the
// inputs must be loaded there. A device that cannot be recovered by this
// process is whole again for the next worker; without a supervisor the rest
// of the sweep on it fails, and nothing else.
bool recover(Bench& bench, const Trial& failed);

// Ends the trial with a failure. It has a doubt where other variants ran before
// it, and is tried again.
void charge(Bench& bench, Trial& trial, Verdict verdict, const Detail& why);
// By what it threw.
void failed_while_timed(Bench& bench, Trial& trial, const std::exception& why);

// Executions of a trial, for as long as it lives: the supervisor knows of them,
// and the state of the process is put back.
struct AtWork {
  Supervisor::Execution execution;
  KeptState kept;
};
// count: of executions; more_s: that they may take besides.
AtWork at_work(Bench& bench, const Trial& trial, double count = 1,
               double more_s = 0);

// For the progress line: "verifying dmv/serial/plain float 64x64 threads=2".
void show_work(Bench& bench, std::string_view what, const Trial& trial);

}  // namespace parlab
