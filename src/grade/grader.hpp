// How a class is graded: a sweep of each submission, its verdict and its time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grade/grading.hpp"
#include "places/places.hpp"
#include "sweep/plan.hpp"

namespace parlab::grade {

// A process that executes one variant, as the one place of a sweep.
class Contestant {
 public:
  // Throws PointError when its process does not answer.
  Contestant(Program program, const Limits& limits)
      : Contestant(
            std::make_unique<RemoteExecutor>(std::move(program), limits)) {}

  RemoteExecutor& executor;
  Variant variant;
  Places places;

 private:
  explicit Contestant(std::unique_ptr<RemoteExecutor> remote)
      : executor(*remote),
        variant(remote->variant()),
        places({.target = variant.target, .executor = std::move(remote)}) {}
};

// The plan that all sweeps of a grading have in common.
Plan plan_for(const Assignment& assignment, const std::string& command);

// Silently. Until Ctrl-C, as was_interrupted() tells: then some records are
// missing. The class keeps the name of the machine.
std::vector<Record> swept(const Plan& plan, Places& places, Class& all);

// Counts the requests of its kernels to memory, at the largest public size that
// emulation does in a moment. Nothing where it cannot say.
std::optional<Counted> counted(const Assignment& assignment,
                               Contestant& contestant);

// ---- ladder.cpp -------------------------------------------------------------

// Measures the rungs at the last public size. Returns the ceilings; nothing
// on a machine that is too busy to measure anything, or after Ctrl-C.
std::optional<Ceilings> measure_ladder(Class& all, const std::string& command);

// ---- stopwatch.cpp ----------------------------------------------------------

// Times of submissions, held against the time of the reference.
class Stopwatch {
 public:
  Stopwatch(Class& all, const std::string& command)
      : all_(all), command_(command) {}

  // From now on submissions have times, held against these ceilings and
  // against the reference's, which is timed here. If the machine is too busy
  // for that, nothing is timed. Throws PointError when the reference does not
  // pass.
  void time_reference(const Ceilings& ceilings);
  bool is_running() const { return processes_ > 0; }

  // Times a submission that passed, by as many processes as it takes; `first`
  // runs already, `start` starts the others. Sets its time, or why it has none;
  // it may also fail here.
  void time(Grade& grade, Contestant& first,
            const std::function<std::unique_ptr<Contestant>()>& start);

  // Ratios to the reference, ranks and points of the whole class.
  void compare();

 private:
  std::optional<Record> time_process(Grade& grade, Contestant& contestant);
  Uncertain over_all_processes(const Uncertain& estimate, double share) const;
  void raise_ceilings(const Variant& variant);
  double around_s() const;

  Class& all_;
  const std::string& command_;
  // that each submission is timed in; 0: there are no times
  std::size_t processes_ = 0;
  Uncertain spread_{1, 0, 1};  // of one process over another
  Uncertain reference_;
  // by which a question takes longer than its execution: the reference's
  double around_s_ = 0;
  Ceilings ceilings_;
};

// ---- judge.cpp --------------------------------------------------------------

// By records of all sizes: the first that is not passed decides.
void judge(Grade& grade, const std::vector<Record>& records);

// Judges one submission after another, and has those timed that are right.
class Judge {
 public:
  Judge(Class& all, const std::string& command, Stopwatch& stopwatch)
      : all_(all), command_(command), stopwatch_(stopwatch) {}

  // Until Ctrl-C: then the grade is not complete.
  void grade(Grade& grade);

 private:
  enum class Outcome { decided, needs_device };
  void grade_program(Grade& grade);
  void look_for_races(Grade& grade);
  Outcome try_program(Grade& grade, const Program& program);
  std::unique_ptr<Contestant> start(const Grade& grade,
                                    const Program& program) const;

  Class& all_;
  const std::string& command_;
  Stopwatch& stopwatch_;
};

}  // namespace parlab::grade
