// How a class is graded: a sweep of each submission, its verdict and its time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grade/grading.hpp"
#include "places/places.hpp"
#include "sweep/plan.hpp"
#include "verify/problem.hpp"

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

// The plan that all sweeps of a grading share.
Plan plan_for(const Assignment& assignment, const std::string& command);

// Sweeps without output. Ends early after Ctrl-C, as was_interrupted() tells;
// some records are missing then. The class keeps the name of the machine.
std::vector<Record> swept(const Plan& plan, Places& places, Class& all);

// Counts the memory requests of its kernels, at the largest public size that
// emulation can do quickly. nullopt if it cannot tell.
std::optional<Counted> counted(const Assignment& assignment,
                               Contestant& contestant);

// ---- stopwatch.cpp ----------------------------------------------------------

// Measures the rungs at the last public size. Returns the ceilings, or nullopt
// on a machine that is too busy for measurements, or after Ctrl-C.
std::optional<Ceilings> measure_ladder(Class& all, const std::string& command);

// Times submissions and compares them with the reference.
class Stopwatch {
 public:
  Stopwatch(Class& all, const std::string& command)
      : all_(all), command_(command) {}

  // From now on submissions are timed and compared with these ceilings and with
  // the reference, which is timed here. If the machine is too busy for that,
  // nothing is timed. Throws PointError if the reference does not pass.
  void time_reference(const Ceilings& ceilings);
  bool is_running() const { return processes_ > 0; }

  // Times a submission that passed, in as many processes as needed; `first`
  // runs already, `start` starts the others. Sets its time, or why it has none;
  // the submission may still fail here.
  void time(Grade& grade, Contestant& first,
            const std::function<std::unique_ptr<Contestant>()>& start);

  // Computes the whole class's ratios to the reference, ranks and points.
  void compare();

 private:
  std::optional<Record> time_process(Grade& grade, Contestant& contestant);
  Uncertain over_all_processes(const Uncertain& estimate, double share) const;
  void raise_ceilings(const Variant& variant);
  double around_s(int threads) const;
  void measure_around(int threads);
  void raise_around(int threads, double seconds);

  Class& all_;
  const std::string& command_;
  // the number of processes that each submission is timed in; 0: no times
  std::size_t processes_ = 0;
  Uncertain spread_{1, 0, 1};  // ratio of one process's time to another's
  Uncertain reference_;
  // a question's time beyond its execution, for the reference, by the number of
  // threads that its process starts; the longest seen
  std::map<int, double> around_s_;
  Ceilings ceilings_;
};

// ---- judge.cpp --------------------------------------------------------------

// The verdict from the records of all sizes: the first that did not pass
// decides.
void judge(Grade& grade, const std::vector<Record>& records);

// Judges a submission in two steps: first what may be done for several at once,
// then what needs a quiet machine.
class Judge {
 public:
  Judge(Class& all, const std::string& command, Stopwatch& stopwatch)
      : all_(all), command_(command), stopwatch_(stopwatch) {}

  // The rest of the work, which needs the submission to be alone.
  enum class Next { nothing, on_gpu, timing };

  // Judges all that has no time: emulation of kernels, programs of the host,
  // and their races. It may run beside others, from several threads. Ends early
  // after Ctrl-C; the grade is incomplete then.
  Next judge(Grade& grade);
  // Does the rest. The same about Ctrl-C.
  void finish(Grade& grade, Next next);
  // Whether its verdict may be the fault of neighbours or of the machine. Then
  // it is judged once more, alone.
  static bool may_be_others_fault(const Grade& grade, bool beside_others);

 private:
  Next try_program(Grade& grade);
  void try_alone(Grade& grade, Next next);
  Plan plan_to_verify(const Variant& variant, double most_s) const;
  void verify(Grade& grade, Contestant& contestant);
  void look_for_races(Grade& grade);
  std::unique_ptr<Contestant> start(const Grade& grade,
                                    const Program& program) const;
  Program program_of(const Grade& grade, Next next) const;

  Class& all_;
  const std::string& command_;
  Stopwatch& stopwatch_;
  // All submissions get the same inputs.
  const std::shared_ptr<SharedOracles> oracles_ =
      std::make_shared<SharedOracles>();
};

}  // namespace parlab::grade
