// How long threads were kept from running, for others had the CPUs: by Linux's run queues, which no
// program can argue with.
#pragma once

#include <sys/types.h>

#include <iosfwd>
#include <map>
#include <optional>

namespace parlab {

// Seconds that a thread has been in a run queue since it began, by thread.
using QueueTimes = std::map<pid_t, double>;

class RunQueueWait {
 public:
  explicit RunQueueWait(pid_t process);  // starts to count

  // Since then, of the thread that waited longest: threads that work together wait for that one.
  // Nothing when the system does not say.
  std::optional<double> seconds() const;

 private:
  pid_t process_;
  QueueTimes before_;
};

// Parts of the above that need no process.
// By the text of /proc/PID/task/TID/schedstat: nanoseconds at work, in the queue, and how often.
std::optional<double> parse_schedstat(std::istream& schedstat);
// The longest of all threads. Those that have begun meanwhile count from 0, those that have ended
// no longer.
double longest_wait(const QueueTimes& before, const QueueTimes& after);

}  // namespace parlab
