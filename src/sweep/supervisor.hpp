// Runs a sweep in a process of its own, so that no variant can end it.
// A variant may crash, call exit() or never return. So the supervisor forks a
// worker that does all the work, and only watches it. If a worker dies or an
// execution takes too long, the variant at work gets that as its verdict, and a
// new worker continues after the completed points. A call that failed after
// another variant ran is tried in a worker of its own before it is blamed.
// docs/explanation/isolation.md gives the reasons.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "record/record.hpp"

namespace parlab {

// How a worker or an execution that took too long ended.
struct Ended {
  Verdict verdict = Verdict::launch_failed;
  Detail why = {};
};

class Supervisor {
 public:
  Supervisor();
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Forks workers until one finishes. In a worker it returns nothing, and the
  // worker continues as if it had not been called. In the supervisor it returns
  // the exit status when everything is done. Before the call no thread may have
  // been started and no device touched, because neither would work in a worker.
  // Throws std::system_error.
  std::optional<int> start();

  // ---- of workers; without start() nobody listens

  // Marks one execution while it lives: which call is at work, and how long it
  // may take.
  class Execution {
   public:
    // call: name of the configuration, the same in all workers.
    Execution(Supervisor& supervisor, const std::string& call,
              double seconds_at_most);
    ~Execution();
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

   private:
    Supervisor& supervisor_;
  };

  // Ends this worker, because its device can no longer be used. The next worker
  // can use it again. failed: the outcome of the call.
  [[noreturn]] void leave(const std::string& call, const Record& failed);
  // False where leaving would not help: this process is not a worker, or so
  // many workers in a row have left that the device must be broken.
  bool may_leave() const;

  // A failure after another variant ran may be that variant's fault. Returns
  // what is said if the call turns out to be right. Empty if the failure is the
  // call's own, or no other worker would try it again.
  Detail doubt(const std::string& call, const Detail& why) const;
  // Ends this worker. The next workers each try one doubtful call of the
  // current part alone, and the worker after them continues. records: those
  // that need no more work. doubtful: records with details from doubt().
  [[noreturn]] void hand_over(const Run& run,
                              const std::vector<Record>& records,
                              const std::vector<Record>& doubtful);
  // Continues in a new worker, in which no variant has run yet.
  [[noreturn]] void start_afresh();
  // Whether a new worker may help when the current part cannot even begin.
  bool may_start_afresh() const;
  // The only call that this worker is to try; empty: all calls.
  std::string alone() const;
  // Records of the current part by key, from earlier workers.
  const std::map<std::string, Record>& known() const { return known_; }
  // Calls of the current part that were right when run alone, and the variants
  // after which they had failed.
  const std::vector<Detail>& cleared() const { return cleared_; }

  // From now on no variant can start or affect another process: see
  // system_calls.hpp. False if the system cannot prevent it.
  bool fence();
  bool fenced() const { return fenced_; }
  bool fences = true;  // false: fence() does nothing

  bool first_worker() const { return workers_ <= 1; }
  bool interrupted() const;  // Ctrl-C reached the supervisor
  // How a call ended in an earlier worker; nullptr if it did not end one.
  const Ended* ended(const std::string& call) const;
  // Why one of this variant's calls was killed; nullptr if none was. variant:
  // the beginning of a call's name.
  const Detail* endless(const std::string& variant) const;

  // Completes a part of the sweep with these points, in the order in which they
  // were observed. Later workers observe them again, unless `repeats` is off.
  using Points = std::vector<std::vector<Record>>;
  void complete(const Run& run, const Points& points);
  // The parts that earlier workers completed; empty in the first worker.
  const std::vector<Points>& completed() const { return completed_; }
  const std::optional<Run>& run() const { return run_; }
  bool repeats = true;
  // Called when everything that earlier workers had observed has been observed
  // again.
  std::function<void()> caught_up = [] {};

 private:
  struct Shared;  // memory shared by the supervisor and its workers
  void tell_foreign_signals();
  int watch(pid_t worker);
  void require_cpu_time(int status) const;
  bool blame(int status);
  void read_entry(const std::string& kind, Record record);
  void append(const std::string& lines);
  [[noreturn]] void leave_to_next();
  void read_log();

  Shared* shared_;
  bool is_worker_ = false;
  bool fenced_ = false;
  int workers_ = 0;
  // An anonymous file with runs and records as JSON. A line "part" follows each
  // part; the lines "left", "known" and "doubt" say what the next record is.
  int log_;
  off_t read_ = 0;  // position up to which it was read
  std::map<std::string, Ended> ended_;
  std::vector<Points> completed_;
  std::optional<Run> run_;
  std::optional<Detail> left_;  // why the last worker left
  rusage used_ = {};            // by the last worker
  // processes that the system had killed to free memory
  double killed_before_ = 0;
  std::deque<Detail> doubts_;
  // the doubtful call that this worker tries alone
  std::optional<Detail> alone_;
  std::map<std::string, Record> known_;
  std::vector<Detail> cleared_;
  // calls that were tried alone, and variants that failed there
  std::set<std::string> beyond_doubt_;
  std::optional<std::size_t> afresh_;  // the part that began in a fresh worker
};

// This thread's supervisor that was never started: everything happens in the
// current process.
Supervisor& unsupervised();

}  // namespace parlab
