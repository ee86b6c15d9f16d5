// How long threads were kept from running, for others had the CPUs: by
// Linux's run queues, which no program can argue with.
#pragma once

#include <sys/types.h>

#include <iosfwd>
#include <map>
#include <optional>

namespace parlab {

// A thread waits this long where nobody else is: in a virtual machine a CPU at
// rest is woken by the host. Behind others it waits for longer.
constexpr double to_wake_s = 1e-4;

// A thread since it began: seconds in a run queue, and how often
// it left one for a CPU.
struct QueueTime {
  double waited_s = 0;
  double starts = 0;
};
using QueueTimes = std::map<pid_t, QueueTime>;

class RunQueueWait {
 public:
  explicit RunQueueWait(pid_t process);  // starts to count

  // The wait since then of the thread that waited longest: threads that work
  // together wait for that one. The time in which a CPU at rest
  // wakes is no wait. Nothing when the system does not say.
  std::optional<double> seconds() const;

 private:
  pid_t process_;
  QueueTimes before_;
};

// Threads that a process has now; 0 when the system does not say.
int threads_of(pid_t process);

// Parts of the above that need no process.
// By the text of /proc/PID/task/TID/schedstat: nanoseconds at work,
// in the queue, and starts.
std::optional<QueueTime> parse_schedstat(std::istream& schedstat);
// Threads that have begun meanwhile count from 0, those
// that have ended no longer.
double longest_wait(const QueueTimes& before, const QueueTimes& after);

}  // namespace parlab
