// A sweep in a process of its own, which no variant can end for good.
//
// A variant may crash, call exit() or never return. So the supervisor forks
// a worker that does everything as if it were alone, and only looks after it:
// a worker that dies, or an execution that takes too long, costs the variant
// at work its verdict, and a new worker goes on behind the points that are
// complete. What failed behind another variant is tried in a worker of its own
// before it is charged. See docs/measuring.md for why it is done so.
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

// How a worker ended, or an execution that took too long.
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

  // Forks workers until one is done. Returns nothing in a worker, which goes on
  // as if it had not been called; in the supervisor the exit status, when all
  // is over. Before it no thread may have been started and no device touched:
  // neither would be usable in a worker. Throws std::system_error.
  std::optional<int> start();

  // ---- of workers; without start() nobody listens

  // Marks one execution, for as long as it lives: who is at work,
  // and how long it may take.
  class Execution {
   public:
    // call: names the configuration in all workers alike.
    Execution(Supervisor& supervisor, const std::string& call,
              double seconds_at_most);
    ~Execution();
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

   private:
    Supervisor& supervisor_;
  };

  // Ends this worker, for the device that it has cannot be used any more; the
  // next one finds it whole. failed: what became of the call.
  [[noreturn]] void leave(const std::string& call, const Record& failed);
  // False where that would help nobody: this process is no worker, or so many
  // workers have left one after another that the device cannot be well.
  bool may_leave() const;

  // What failed behind another variant may be that one's fault: what is said
  // if the call turns out right. Nothing where it is the call's own, or nobody
  // would try again.
  Detail doubt(const std::string& call, const Detail& why) const;
  // Ends this worker. The next ones try each doubtful call of the part at work
  // alone, and the one behind them goes on. records: that need no more work;
  // doubtful: their details say why, by doubt().
  [[noreturn]] void hand_over(const Run& run,
                              const std::vector<Record>& records,
                              const std::vector<Record>& doubtful);
  // Goes on in a new worker, where nothing of a variant has ever run.
  [[noreturn]] void start_afresh();
  // Whether that may help where the part at work does not even begin.
  bool may_start_afresh() const;
  // The call that this worker is to try, and nothing else; empty: all.
  std::string alone() const;
  // Records of the part at work by their keys, from workers before.
  const std::map<std::string, Record>& known() const { return known_; }
  // Who was right alone in the part at work, and behind whom it failed.
  const std::vector<Detail>& cleared() const { return cleared_; }

  // From now on nothing of a variant works in another process: see
  // system_calls.hpp. False: the system has no such fence.
  bool fence();
  bool fenced() const { return fenced_; }
  bool fences = true;  // false: fence() does nothing

  bool first_worker() const { return workers_ <= 1; }
  bool interrupted() const;  // Ctrl-C reached the supervisor
  // How a call ended in an earlier worker; nullptr: it did not end there.
  const Ended* ended(const std::string& call) const;
  // Why one of this variant's calls was ended; nullptr: none was.
  // variant: a call begins with it.
  const Detail* endless(const std::string& variant) const;

  // A part of the sweep is complete: with these points, in the order
  // they were observed. They are observed again in later workers,
  // unless that is switched off.
  using Points = std::vector<std::vector<Record>>;
  void complete(const Run& run, const Points& points);
  // The parts that earlier workers completed; none in the first one.
  const std::vector<Points>& completed() const { return completed_; }
  const std::optional<Run>& run() const { return run_; }
  bool repeats = true;
  // Called when everything that was observed in workers before
  // has been observed again.
  std::function<void()> caught_up = [] {};

 private:
  struct Shared;  // memory of the supervisor and all its workers
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
  // A file without a name: runs and records as JSON, a line "part" behind each
  // part; lines "left", "known", "doubt" say of one record what it is.
  int log_;
  off_t read_ = 0;  // of it
  std::map<std::string, Ended> ended_;
  std::vector<Points> completed_;
  std::optional<Run> run_;
  std::optional<Detail> left_;  // why the last worker did
  rusage used_ = {};            // by the last worker
  double killed_before_ = 0;    // by the system, to have memory
  std::deque<Detail> doubts_;
  std::optional<Detail> alone_;  // of them
  std::map<std::string, Record> known_;
  std::vector<Detail> cleared_;
  // calls that were tried alone, and variants that failed there
  std::set<std::string> beyond_doubt_;
  std::optional<std::size_t> afresh_;  // the part that began so
};

// One that was never started: everything happens in the one process there is.
Supervisor& unsupervised();

}  // namespace parlab
