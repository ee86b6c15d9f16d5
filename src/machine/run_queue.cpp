#include "machine/run_queue.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include "core/file.hpp"

namespace parlab {
namespace {

// Empty if the system does not say.
QueueTimes queue_times_of(pid_t process) {
  QueueTimes times;
  for (const auto thread : thread_ids(process)) {
    std::ifstream schedstat("/proc/" + std::to_string(process) + "/task/" +
                            std::to_string(thread) + "/schedstat");
    if (const auto time = parse_schedstat(schedstat)) times[thread] = *time;
  }
  return times;
}

}  // namespace

RunQueueWait::RunQueueWait(pid_t process)
    : process_(process), before_(queue_times_of(process)) {}

std::optional<double> RunQueueWait::seconds() const {
  const auto after = queue_times_of(process_);
  if (before_.empty() || after.empty()) return std::nullopt;
  return longest_wait(before_, after);
}

std::vector<pid_t> thread_ids(pid_t process) {
  std::vector<pid_t> threads;
  for (const auto& task :
       entries_of("/proc/" + std::to_string(process) + "/task"))
    threads.push_back(static_cast<pid_t>(std::stol(task.filename().string())));
  return threads;
}

std::optional<QueueTime> parse_schedstat(std::istream& schedstat) {
  double at_work_ns = 0, in_queue_ns = 0, starts = 0;
  if (!(schedstat >> at_work_ns >> in_queue_ns >> starts)) return std::nullopt;
  return QueueTime{1e-9 * in_queue_ns, starts};
}

double longest_wait(const QueueTimes& before, const QueueTimes& after) {
  double longest_s = 0;
  for (const auto& [thread, now] : after) {
    const auto found = before.find(thread);
    const auto then = found == before.end() ? QueueTime{} : found->second;
    const double waking_s = to_wake_s * (now.starts - then.starts);
    longest_s = std::max(longest_s, now.waited_s - then.waited_s - waking_s);
  }
  return longest_s;
}

}  // namespace parlab
