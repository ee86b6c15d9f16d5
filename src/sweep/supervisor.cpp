#include "sweep/supervisor.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <iostream>
#include <sstream>
#include <system_error>
#include <utility>

#include "machine/memory.hpp"
#include "record/json.hpp"
#include "record/store.hpp"
#include "sweep/interrupt.hpp"
#include "sweep/system_calls.hpp"

namespace parlab {
namespace {

constexpr auto look_every = std::chrono::milliseconds(200);
// How long an execution may still take after Ctrl-C.
constexpr double patience_s = 2;
constexpr int leave_at_most = 100;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// status: from waitpid().
Detail ending_of(int status) {
  Detail ending = end_of_process(status);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    ending.further = {{.cause = Cause::memory_may_be_short}};
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
    ending.further = {{.cause = Cause::starts_processes}};
  return ending;
}

// Whether an output stream is a pipe whose other end is closed.
bool nobody_reads() {
  pollfd streams[] = {{STDOUT_FILENO, POLLOUT, 0}, {STDERR_FILENO, POLLOUT, 0}};
  poll(streams, std::size(streams), 0);
  return std::ranges::any_of(
      streams, [](const pollfd& at) { return (at.revents & POLLERR) != 0; });
}

std::string variant_of(const std::string& call) {
  return call.substr(0, call.find(' '));
}

template <std::size_t size>
void copy_to(char (&to)[size], const std::string& text) {
  to[text.copy(to, size - 1)] = '\0';
}

// Holds back these signals until they are asked for. A worker restores the
// earlier mask.
class Blocked {
 public:
  Blocked() {
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, &before_);
  }
  ~Blocked() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Blocked(const Blocked&) = delete;
  Blocked& operator=(const Blocked&) = delete;

  sigset_t set;

 private:
  sigset_t before_;
};

}  // namespace

struct Supervisor::Shared {
  std::atomic<bool> interrupted;
  std::atomic<bool> at_work;   // an execution is under way
  std::atomic<bool> too_long;  // it was killed for taking too long
  // of the current execution, or of the last one
  std::atomic<unsigned> number;
  std::atomic<double> at_most_s;  // its time limit
  char call[1024];
  char before[1024];  // the last call of another variant in this worker
  bool hands_over;    // the worker ended itself, and no variant is to blame
  int left;  // workers that ended themselves since a part was completed
  std::atomic<int> foreign;  // a signal that another process sent to a worker

  void begin(const std::string& to) {
    const std::string last(call);
    if (!last.empty() && variant_of(last) != variant_of(to))
      copy_to(before, last);
    copy_to(call, to);
    at_work = true;
  }
};

// A batch system ends a job by sending a signal to each process. A signal that
// a worker sends to itself comes from its variant.
void Supervisor::tell_foreign_signals() {
  static Shared* shared = nullptr;
  shared = shared_;
  struct sigaction tell {};
  tell.sa_flags = SA_SIGINFO | SA_RESETHAND | SA_NODEFER;
  tell.sa_sigaction = [](int signal, siginfo_t* about, void*) {
    if (about->si_code <= 0 && about->si_pid != getpid())
      shared->foreign = signal;
    raise(signal);
  };
  for (const int signal : {SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_DFL) sigaction(signal, &tell, nullptr);
  }
}

Supervisor::Supervisor() {
  void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("memory that is shared with a worker");
  shared_ = new (memory) Shared{};
  log_ = memfd_create("parlab-completed", MFD_CLOEXEC);
  if (log_ < 0) fail("a file that is shared with a worker");
}

Supervisor::~Supervisor() {
  close(log_);
  munmap(shared_, sizeof(Shared));
}

std::optional<int> Supervisor::start() {
  std::cout.flush();
  killed_before_ = killed_for_memory();
  while (true) {
    const pid_t self = getpid();
    ++workers_;
    shared_->call[0] = shared_->before[0] = '\0';
    alone_.reset();
    if (!doubts_.empty()) {
      alone_ = doubts_.front();
      doubts_.pop_front();
      beyond_doubt_.insert(alone());
    }
    Blocked blocked;
    const pid_t worker = fork();
    if (worker < 0) fail("starting a worker: see ulimit -u");
    if (worker == 0) {
      // A signal that kills the supervisor must also end its worker.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != self) _exit(EXIT_FAILURE);
      is_worker_ = true;
      tell_foreign_signals();
      return std::nullopt;
    }
    const int status = watch(worker);
    if (shared_->interrupted && !WIFEXITED(status)) return exit_interrupted;
    const bool hands_over = std::exchange(shared_->hands_over, false);
    if (WIFEXITED(status) && !shared_->at_work && !hands_over)
      return WEXITSTATUS(status);
    // The reader of our output is gone, so end like any other program in a
    // pipe.
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE && nobody_reads())
      raise(SIGPIPE);
    if (WIFSIGNALED(status) && WTERMSIG(status) == shared_->foreign)
      raise(shared_->foreign);  // it was meant for the whole program
    require_cpu_time(status);
    read_log();
    if (!hands_over && !blame(status)) return EXIT_FAILURE;
  }
}

// Returns the final status of waitpid(). Time is counted in looks, because a
// program that was stopped and continued was not at work in between.
int Supervisor::watch(pid_t worker) {
  const Blocked blocked;
  const timespec look{0, std::chrono::nanoseconds(look_every).count()};
  const double look_s = std::chrono::duration<double>(look_every).count();
  unsigned number = 0;
  double taken_s = 0, since_interrupt_s = 0;
  for (int status = 0;;) {
    const pid_t ended = wait4(worker, &status, WNOHANG, &used_);
    if (ended < 0) fail("waiting for a worker");
    if (ended != 0) return status;
    const int signal = sigtimedwait(&blocked.set, nullptr, &look);
    if (signal == SIGINT && shared_->interrupted.exchange(true))
      kill(worker, SIGKILL);
    if (signal > 0) continue;
    taken_s =
        shared_->at_work && number == shared_->number ? taken_s + look_s : 0;
    number = shared_->number;
    if (shared_->interrupted && shared_->at_work) since_interrupt_s += look_s;
    shared_->too_long = taken_s > shared_->at_most_s;
    if (shared_->too_long || since_interrupt_s > patience_s)
      kill(worker, SIGKILL);
  }
}

// Throws when a worker has used up the CPU time that the shell allows, because
// no variant is to blame for it.
void Supervisor::require_cpu_time(int status) const {
  rlimit most{};
  getrlimit(RLIMIT_CPU, &most);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if ((signal != SIGXCPU && signal != SIGKILL) || shared_->too_long ||
      most.rlim_cur == RLIM_INFINITY) {
    return;
  }
  const auto used =
      std::chrono::seconds(used_.ru_utime.tv_sec + used_.ru_stime.tv_sec) +
      std::chrono::microseconds(used_.ru_utime.tv_usec +
                                used_.ru_stime.tv_usec);
  // the kernel counts in clock ticks
  if (used + look_every < std::chrono::seconds(most.rlim_cur)) return;
  throw ExplainedError({.cause = Cause::cpu_limit_reached,
                        .arguments = {quantity(most.rlim_cur, Unit::second)},
                        .further = {{.cause = Cause::goes_on_when_run_again}}});
}

// False if no execution can be blamed.
bool Supervisor::blame(int status) {
  const std::string call(shared_->call);
  Ended ended;
  if (shared_->at_work && shared_->too_long) {
    ended = {Verdict::timed_out,
             {.cause = Cause::ended,
              .further = {
                  because(Cause::took_more_than, call,
                          quantity(shared_->at_most_s.load(), Unit::second))}}};
  } else if (left_) {
    ended.why = *left_;
  } else {
    ended.why = ending_of(status);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
        killed_for_memory() > killed_before_)
      ended.verdict = Verdict::out_of_memory;
  }
  if (!shared_->at_work)
    ended.why.further.push_back({.cause = Cause::after_return});
  shared_->at_work = shared_->too_long = false;
  left_.reset();
  if (const auto doubtful = doubt(call, ended.why)) {
    doubts_.push_back(doubtful);
    return true;
  }
  if (alone_) beyond_doubt_.insert(variant_of(call));
  if (!call.empty() && ended_.emplace(call, ended).second) return true;
  std::cerr << "parlab: " << to_string(ended.why)
            << ", though no variant was at work: this is a bug in parlab"
            << std::endl;
  return false;
}

void Supervisor::read_log() {
  const off_t end = lseek(log_, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(end - read_), '\0');
  if (pread(log_, text.data(), text.size(), read_) != end - read_)
    fail("reading what a worker completed");
  read_ = end;
  Points points;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == "part") {
      completed_.push_back(std::move(points));
      points.clear();
      known_.clear();
      cleared_.clear();
    } else if (line == "point") {
      points.emplace_back();
    } else if (line == "afresh") {
      afresh_ = completed_.size();
    } else if (line == "left" || line == "known" || line == "doubt") {
      const auto kind = line;
      std::getline(lines, line);
      read_entry(kind, std::get<Record>(from_json_line(line)));
    } else {
      auto entry = from_json_line(line);
      if (auto* run = std::get_if<Run>(&entry)) {
        run_ = std::move(*run);
      } else {
        points.back().push_back(std::move(std::get<Record>(entry)));
        set_run(points.back().back(), *run_);
      }
    }
  }
}

void Supervisor::read_entry(const std::string& kind, Record record) {
  if (kind == "left") {
    left_ = record.detail;
  } else if (kind == "doubt") {
    doubts_.push_back(record.detail);
  } else {
    set_run(record, *run_);
    if (alone_ && record.verdict != Verdict::passed)
      beyond_doubt_.insert(record.full_name());
    else if (alone_)
      cleared_.push_back(*alone_);
    known_.insert_or_assign(record.key(), std::move(record));
  }
}

void Supervisor::append(const std::string& lines) {
  for (std::size_t done = 0; done < lines.size();) {
    const auto written = write(log_, &lines[done], lines.size() - done);
    if (written < 0) fail("keeping what is complete in memory (see ulimit -f)");
    done += static_cast<std::size_t>(written);
  }
}

void Supervisor::complete(const Run& run, const Points& points) {
  // so that buffered output is not printed again by the next worker
  std::cout.flush();
  shared_->left = 0;
  if (!repeats) return;
  std::string text = to_json_line(run) + "\n";
  for (const auto& records : points) {
    text += "point\n";
    for (const auto& record : records)
      text += to_json_line(record) + "\n";
  }
  append(text + "part\n");
}

void Supervisor::leave(const std::string& call, const Record& failed) {
  append("left\n" + to_json_line(failed) + "\n");
  shared_->begin(call);
  ++shared_->left;
  _exit(EXIT_FAILURE);
}

bool Supervisor::may_leave() const {
  return is_worker_ && shared_->left < leave_at_most;
}

Detail Supervisor::doubt(const std::string& call, const Detail& why) const {
  const std::string before(shared_->before);
  if (!repeats || before.empty() || beyond_doubt_.contains(call) ||
      beyond_doubt_.contains(variant_of(call)))
    return {};
  return {.cause = Cause::right_alone,
          .arguments = {call, before},
          .further = {why}};
}

void Supervisor::hand_over(const Run& run, const std::vector<Record>& records,
                           const std::vector<Record>& doubtful) {
  std::string text = to_json_line(run) + "\n";
  for (const auto& record : records)
    text += "known\n" + to_json_line(record) + "\n";
  for (const auto& record : doubtful)
    text += "doubt\n" + to_json_line(record) + "\n";
  append(text);
  leave_to_next();
}

void Supervisor::start_afresh() {
  append("afresh\n");
  leave_to_next();
}

void Supervisor::leave_to_next() {
  std::cout.flush();
  shared_->hands_over = true;
  _exit(EXIT_FAILURE);
}

bool Supervisor::may_start_afresh() const {
  return is_worker_ && repeats && *shared_->before != '\0' &&
         afresh_ != completed_.size();
}

std::string Supervisor::alone() const {
  return alone_ ? std::get<std::string>(alone_->arguments.at(0)) : "";
}

bool Supervisor::fence() {
  if (!fences || fenced_) return true;
  return fenced_ = fence_variants(log_);
}

bool Supervisor::interrupted() const {
  return shared_->interrupted;
}

const Ended* Supervisor::ended(const std::string& call) const {
  const auto found = ended_.find(call);
  return found == ended_.end() ? nullptr : &found->second;
}

const Detail* Supervisor::endless(const std::string& variant) const {
  for (const auto& [call, ended] : ended_) {
    if (ended.verdict == Verdict::timed_out && call.starts_with(variant + " "))
      return &ended.why;
  }
  return nullptr;
}

Supervisor::Execution::Execution(Supervisor& supervisor,
                                 const std::string& call,
                                 double seconds_at_most)
    : supervisor_(supervisor) {
  Shared& shared = *supervisor.shared_;
  shared.at_most_s = seconds_at_most;
  ++shared.number;
  shared.begin(call);
}

Supervisor& unsupervised() {
  thread_local Supervisor supervisor;  // sweeps may run side by side
  supervisor.repeats = supervisor.fences = false;
  return supervisor;
}

Supervisor::Execution::~Execution() {
  supervisor_.shared_->at_work = false;
}

}  // namespace parlab
