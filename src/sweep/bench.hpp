// One problem, loaded at the places of a point where its trials run.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "places/host/kept_state.hpp"
#include "reference/progress.hpp"
#include "sweep/listing.hpp"
#include "verify/problem.hpp"

namespace parlab {

struct Bench {
  Session& session;
  Listing& listing;
  const Stop& interrupted;
  std::unique_ptr<Problem> problem;
  // duration of the first check of a result, which makes its oracle
  double oracle_s = 0;
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
  // Seconds from `begin` until all was verified, and until all was sampled; 0:
  // not yet.
  double verified_at_s = 0, sampled_at_s = 0;
  // All times have been taken and the results afterwards were right. A device
  // that is lost now costs only joules.
  bool proven = false;
  // why a place gives no more energy
  std::map<const Place*, Detail> no_energy = {};
};

// Returns nothing if no trial can run. Either no place can run them, or there
// is too little memory, which then becomes the trials' verdict.
std::optional<Bench> set_up_bench(Session& session, const PointPlan& point,
                                  Listing& listing, const Stop& interrupted);

// A check of a trial's result. One that takes long says so; one that takes too
// long is ended by an ExplainedError, as is every one when the user interrupts.
class Check {
 public:
  Check(Bench& bench, const Trial& trial)
      : bench_(bench),
        trial_(trial),
        watch_([this](const auto& progress) { look(progress); }) {}

 private:
  void look(const reference::Progress& progress);
  Bench& bench_;
  const Trial& trial_;
  std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
  double next_note_s_ = 10;
  reference::Watch watch_;
};

// Has the reference do something for a trial; false if it failed.
template <typename F>
bool by_reference(Bench& bench, Trial& trial, F f) {
  const Check check(bench, trial);
  try {
    f();
    return true;
  } catch (const std::exception& error) {
    trial.give_up(error);
    return false;
  }
}

// Makes inputs of this kind and loads them at all places in use. If they cannot
// be made, no trial can be verified.
void load_inputs(Bench& bench, InputKind kind);
// Makes the same inputs again, after a variant may have damaged them.
void reload_inputs(Bench& bench);
void load_everywhere(Bench& bench);

// Makes the device of a trial that failed to launch usable again. True if the
// inputs must be loaded there. If this process cannot recover the device, the
// next worker can. Without a supervisor only the rest of the sweep on that
// device fails.
bool recover(Bench& bench, const Trial& failed);

// Ends the trial with a failure. If other variants ran before it, the failure
// is in doubt, and the trial is tried again.
void charge(Bench& bench, Trial& trial, Verdict verdict, const Detail& why);
// Says why the result is wrong. With threads of OpenMP it names the command
// that looks for races; grade looks for them itself.
Detail why_wrong(const Bench& bench, const Trial& trial, const Mismatch& wrong);
// Ends the trial with the verdict that fits the exception.
void failed_while_timed(Bench& bench, Trial& trial, const std::exception& why);

// Marks executions of a trial while it lives. The supervisor knows of them, and
// the destructor restores the state of the process.
struct AtWork {
  Supervisor::Execution execution;
  KeptState kept;
};
// count: number of executions. more_s: additional seconds that they may take.
AtWork at_work(Bench& bench, const Trial& trial, double count = 1,
               double more_s = 0);

// Shows "verifying dmv/serial/plain float 64x64 threads=2" in the progress
// line.
void show_work(Bench& bench, std::string_view what, const Trial& trial);

}  // namespace parlab
