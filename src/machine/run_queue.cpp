#include "machine/run_queue.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace parlab {
namespace {

// Empty: the system does not say.
QueueTimes queue_times_of(pid_t process) {
  QueueTimes times;
  std::error_code error;
  const auto tasks = "/proc/" + std::to_string(process) + "/task";
  for (std::filesystem::directory_iterator task(tasks, error), end; !error && task != end;
       task.increment(error)) {
    std::ifstream schedstat(task->path() / "schedstat");
    const auto seconds = parse_schedstat(schedstat);
    if (seconds) times[static_cast<pid_t>(std::stol(task->path().filename().string()))] = *seconds;
  }
  return times;
}

}  // namespace

RunQueueWait::RunQueueWait(pid_t process) : process_(process), before_(queue_times_of(process)) {}

std::optional<double> RunQueueWait::seconds() const {
  const auto after = queue_times_of(process_);
  if (before_.empty() || after.empty()) return std::nullopt;
  return longest_wait(before_, after);
}

std::optional<double> parse_schedstat(std::istream& schedstat) {
  double at_work_ns = 0, in_queue_ns = 0;
  if (!(schedstat >> at_work_ns >> in_queue_ns)) return std::nullopt;
  return 1e-9 * in_queue_ns;
}

double longest_wait(const QueueTimes& before, const QueueTimes& after) {
  double seconds = 0;
  for (const auto& [thread, now] : after) {
    const auto then = before.find(thread);
    seconds = std::max(seconds, now - (then == before.end() ? 0 : then->second));
  }
  return seconds;
}

}  // namespace parlab
