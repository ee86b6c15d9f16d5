#include "places/host/kept_state.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "core/parallel.hpp"

namespace parlab {
namespace {

std::vector<std::string> environment_now() {
  std::vector<std::string> all;
  for (char** variable = environ; variable && *variable; ++variable)
    all.emplace_back(*variable);
  return all;
}

void put_back(const std::vector<std::string>& environment) {
  if (environment_now() == environment) return;
  clearenv();
  for (const auto& variable : environment) {
    const auto end = variable.find('=');
    if (end != variable.npos)
      setenv(variable.substr(0, end).c_str(), variable.c_str() + end + 1, 1);
  }
}

// The mask can only be read by setting it. Another thread must not read it in
// between.
mode_t mask_now() {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const auto mask = umask(0);
  umask(mask);
  return mask;
}

std::string folder_now() {
  std::error_code none;
  return std::filesystem::current_path(none).string();
}

}  // namespace

KeptState::KeptState()
    : mask_(mask_now()),
      folder_(folder_now()),
      c_locale_(std::setlocale(LC_ALL, nullptr)),
      environment_(environment_now()),
      thread_locale_(uselocale(nullptr)),
      cpus_(affinity()),
      threads_(omp_get_max_threads()),
      dynamic_(omp_get_dynamic()),
      levels_(omp_get_max_active_levels()) {
  std::fegetenv(&arithmetic_);
  for (int i = 0; i < std::ssize(timers_); ++i)
    getitimer(static_cast<__itimer_which>(i), &timers_[i]);
  for (int i = 0; i < std::ssize(limits_); ++i)
    getrlimit(static_cast<__rlimit_resource>(i), &limits_[i]);
  for (int i = 1; i < std::ssize(handlers_); ++i)
    sigaction(i, nullptr, &handlers_[i]);
  sigaltstack(nullptr, &signal_stack_);
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked_);
  omp_get_schedule(&schedule_, &chunk_);
}

KeptState::~KeptState() {
  std::fesetenv(&arithmetic_);
  for (int i = 0; i < std::ssize(timers_); ++i)
    setitimer(static_cast<__itimer_which>(i), &timers_[i], nullptr);
  for (int i = 0; i < std::ssize(limits_); ++i) {
    const auto which = static_cast<__rlimit_resource>(i);
    rlimit now{};
    if (getrlimit(which, &now) != 0) continue;
    now.rlim_cur = std::min(limits_[i].rlim_cur, now.rlim_max);
    setrlimit(which, &now);
  }
  // the C library refuses changes to its own signals, which stay as they are
  for (int i = 1; i < std::ssize(handlers_); ++i)
    sigaction(i, &handlers_[i], nullptr);
  sigaltstack(&signal_stack_, nullptr);
  pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
  umask(mask_);
  if (folder_now() != folder_) (void)!chdir(folder_.c_str());
  put_back(environment_);
  if (std::locale() != locale_) std::locale::global(locale_);
  if (std::setlocale(LC_ALL, nullptr) != c_locale_)
    std::setlocale(LC_ALL, c_locale_.c_str());
  uselocale(thread_locale_);
  if (!cpus_.empty()) run_on(cpus_);
  omp_set_num_threads(threads_);
  omp_set_dynamic(dynamic_);
  omp_set_max_active_levels(levels_);
  omp_set_schedule(schedule_, chunk_);
}

}  // namespace parlab
