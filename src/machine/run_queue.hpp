// How long threads could not run because others had the CPUs. Linux's run
// queues count it, and no program can falsify that.
#pragma once

#include <sys/types.h>

#include <iosfwd>
#include <map>
#include <optional>
#include <vector>

namespace parlab {

// Without competition a thread waits up to this long; in a virtual machine the
// host must wake an idle CPU. Behind other threads it waits longer.
constexpr double to_wake_s = 1e-4;

// A thread since its start: seconds in a run queue, and how often it left one
// to run.
struct QueueTime {
  double waited_s = 0;
  double starts = 0;
};
using QueueTimes = std::map<pid_t, QueueTime>;

class RunQueueWait {
 public:
  explicit RunQueueWait(pid_t process);  // starts counting

  // The wait since then of the thread that waited longest, because threads that
  // work together wait for it. The time to wake an idle CPU does not count.
  // Nothing when the system does not say.
  std::optional<double> seconds() const;

 private:
  pid_t process_;
  QueueTimes before_;
};

// The threads of a process; none when the system does not say.
std::vector<pid_t> thread_ids(pid_t process);

// Parts of the above that need no process. parse_schedstat reads the text of
// /proc/PID/task/TID/schedstat: nanoseconds running, nanoseconds in the queue,
// and number of starts.
std::optional<QueueTime> parse_schedstat(std::istream& schedstat);
// Threads that began in between count from 0; those that ended do not count.
double longest_wait(const QueueTimes& before, const QueueTimes& after);

}  // namespace parlab
