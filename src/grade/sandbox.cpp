#include "grade/sandbox.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>

#include "core/file.hpp"
#include "core/process.hpp"
#include "core/types.hpp"
#include "sweep/interrupt.hpp"

namespace parlab::grade {
namespace {

constexpr int channel_descriptor = 3, begun_descriptor = program_descriptor + 1;
constexpr rlim_t most_descriptors = 1024;
constexpr std::int64_t most_threads = 2048;
// exit status of a process that could not be confined: it runs nothing
constexpr int exit_unconfined = 99;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void limit(int what, rlim_t most) {
  const rlimit both{most, most};
  setrlimit(static_cast<__rlimit_resource>(what), &both);
}

rlim_t cpu_seconds(const Confinement& confinement) {
  return static_cast<rlim_t>(confinement.cpu_s) + 1;
}

// Whether the shell's limits allow a child this much.
bool can_allow(int what, rlim_t much) {
  const auto which = static_cast<__rlimit_resource>(what);
  rlimit now{};
  if (getrlimit(which, &now) != 0 || now.rlim_max >= much) return true;
  const rlimit raised{now.rlim_cur, much};  // root may do this
  return setrlimit(which, &raised) == 0;
}

// Settings that the grader decides: visible GPUs, how threads wait, and where
// its own libraries lie.
std::vector<std::string> settings_of_grader(bool trusted) {
  std::vector<std::string> names{"OMP_WAIT_POLICY", "CUDA_VISIBLE_DEVICES",
                                 "CUDA_DEVICE_ORDER"};
  if (trusted)
    names.insert(names.end(), {"LD_LIBRARY_PATH", "PARLAB_BLAS", "CUDA_HOME"});
  std::vector<std::string> settings;
  for (const auto& name : names) {
    const char* const value = std::getenv(name.c_str());
    if (value != nullptr) settings.push_back(name + "=" + value);
  }
  return settings;
}

void live_or_die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(exit_unconfined);
}

// In the child, until it becomes the program. After a fork this may use only
// safe calls and the C library's memory.
[[noreturn]] void become(const std::vector<char*>& arguments,
                         const Confinement& confinement, int program,
                         int channel, int output, int until_begun,
                         pid_t parent) {
  live_or_die_with(parent);
  setsid();
  // First move the descriptors above the range that we fill.
  const int at_channel = channel < 0 ? -1 : fcntl(channel, F_DUPFD, 100);
  const int at_program = fcntl(program, F_DUPFD, 100),
            at_output = fcntl(output, F_DUPFD, 100),
            at_begun = fcntl(until_begun, F_DUPFD, 100);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(at_output, STDOUT_FILENO);
  dup2(at_output, STDERR_FILENO);
  if (at_channel >= 0) dup2(at_channel, channel_descriptor);
  dup3(at_program, program_descriptor, O_CLOEXEC);
  dup3(at_begun, begun_descriptor, O_CLOEXEC);
  close_range(begun_descriptor + 1, ~0u, 0);
  if (at_channel < 0) close(channel_descriptor);

  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, cpu_seconds(confinement));
  limit(RLIMIT_FSIZE, confinement.file_bytes);
  limit(RLIMIT_NOFILE, most_descriptors);
  limit(RLIMIT_DATA, RLIM_INFINITY);
  limit(RLIMIT_AS, confinement.may_start
                       ? static_cast<rlim_t>(confinement.memory_bytes)
                       : RLIM_INFINITY);
  unshare(CLONE_NEWNET | CLONE_NEWIPC);  // if the system permits it
  if (chdir(confinement.folder.c_str()) != 0) _exit(exit_unconfined);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const bool fenced = fence_files(confinement);
  if (confinement.user) {
    const uid_t user = *confinement.user;
    if (setgroups(0, nullptr) != 0 || setgid(user) != 0 || setuid(user) != 0)
      _exit(exit_unconfined);
    live_or_die_with(parent);  // changing the user cancelled this
  } else if (!fenced && !confinement.trusted) {
    _exit(exit_unconfined);  // this user's files would be unprotected
  }
  if (!confinement.may_start && !fence_calls(confinement))
    _exit(exit_unconfined);
  char path[] = "PATH=/usr/local/bin:/usr/bin:/bin",
       locale[] = "LC_ALL=C.UTF-8";
  // Nothing is kept for later by the driver or a compiler.
  char cache[] = "CUDA_CACHE_DISABLE=1", compiler_cache[] = "CCACHE_DISABLE=1";
  const std::string own =
      confinement.writable.empty() ? "/" : confinement.writable.front();
  std::string temporary = "TMPDIR=" + own, home = "HOME=" + own;
  std::vector<std::string> settings = settings_of_grader(confinement.trusted);
  std::vector<char*> environment{path,           locale,           cache,
                                 compiler_cache, temporary.data(), home.data()};
  for (auto& setting : settings)
    environment.push_back(setting.data());
  environment.push_back(nullptr);
  syscall(SYS_execveat, program_descriptor, "", arguments.data(),
          environment.data(), AT_EMPTY_PATH);
  _exit(exit_unconfined);
}

}  // namespace

void require_limits(const Confinement& compiler) {
  struct Promised {
    int what;
    rlim_t much;
    const char* option;
  };
  constexpr rlim_t addresses_of_emulation = rlim_t{9} << 40;
  for (const auto& [what, much, option] :
       {Promised{RLIMIT_AS, addresses_of_emulation, "-v"},
        {RLIMIT_DATA, static_cast<rlim_t>(compiler.memory_bytes), "-d"},
        {RLIMIT_FSIZE, compiler.file_bytes, "-f"},
        {RLIMIT_CPU, cpu_seconds(compiler), "-t"},
        {RLIMIT_NOFILE, most_descriptors / 8, "-n"}}) {
    if (can_allow(what, much)) continue;
    throw UsageError(std::string("grade: this shell allows a process less "
                                 "than submissions are promised (ulimit ") +
                     option + "): grade in one without that limit");
  }
}

void require_sight_of_memory() {
  if (!unused_user()) return;  // submissions run as this user
  std::uint64_t capabilities = 0;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("CapEff:"))
      capabilities = std::strtoull(line.c_str() + 7, nullptr, 16);
  }
  if ((capabilities >> CAP_SYS_PTRACE & 1) != 0) return;
  throw UsageError(
      "grade: root may not count the memory of submissions here, since it "
      "lacks the capability SYS_PTRACE: grade as an ordinary user, or start "
      "the container with --cap-add SYS_PTRACE");
}

void require_reach(const std::filesystem::path& sources,
                   const std::filesystem::path& builds) {
  namespace fs = std::filesystem;
  if (!unused_user()) return;
  const auto require = [](const fs::path& path, fs::perms right,
                          const std::string& advice) {
    if ((fs::status(path).permissions() & right) == right) return;
    throw UsageError(
        "grade: root lets another user run submissions, who may not use " +
        path.string() + ": " + advice);
  };
  const auto enter = fs::perms::others_exec;
  for (auto at = fs::absolute(builds); at.has_relative_path();
       at = at.parent_path())
    require(at, enter, "TMPDIR names a folder that all users may enter");
  const auto advice = "permit it by chmod -R o+rX " + sources.string();
  require(sources, enter, advice);
  require(sources / "src", enter, advice);
  require(sources / "scripts/environment.sh", fs::perms::others_read, advice);
}

Process::Process(const std::vector<std::string>& program,
                 const Confinement& confinement, int channel,
                 const std::string& output)
    : confinement_(confinement) {
  std::vector<std::string> words = program;
  const auto arguments = as_c(words);
  const Descriptor file(open(words.at(0).c_str(), O_RDONLY | O_CLOEXEC));
  if (file < 0) fail("starting " + words[0]);
  const Descriptor to(open(output.empty() ? "/dev/null" : output.c_str(),
                           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (to < 0) fail("writing " + output);
  int begun[2] = {-1, -1};
  const pid_t parent = getpid();
  pid_ = pipe2(begun, O_CLOEXEC) == 0 ? fork() : -1;
  const int error = errno;
  if (pid_ == 0)
    become(arguments, confinement, file, channel, to, begun[1], parent);
  close(begun[1]);
  // Until the child is the program, its memory is a copy of this process's,
  // which does not count. Then its end of the pipe closes.
  char nothing = 0;
  while (pid_ > 0 && read(begun[0], &nothing, 1) < 0 && errno == EINTR)
    continue;
  close(begun[0]);
  errno = error;
  if (pid_ < 0) fail("starting " + words[0] + ": see ulimit -u");
}

Process::~Process() {
  end({.cause = Cause::process_ended});
}

void Process::note_end(int status) {
  ended_ = true;
  if (why_) return;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == exit_unconfined) {
    why_ = {.cause = Cause::not_confined};
    return;
  }
  why_ = end_of_process(status);
  if (signal == SIGSYS)
    why_.further.push_back({.cause = Cause::starts_processes});
  if (signal == SIGXCPU)
    why_.further.push_back(
        {.cause = can_allow(RLIMIT_CPU, cpu_seconds(confinement_))
                      ? Cause::cpu_time_used_up
                      : Cause::cpu_limit_of_shell});
}

// Memory resident and swapped out. Shared memory is held without being
// resident; only a program for the GPU may have it, in files of memory. Threads
// are counted here, because a system limit counts those of all processes of the
// user.
Process::Held Process::held() const {
  const auto folder = "/proc/" + std::to_string(pid_);
  double bytes = 0;
  std::int64_t threads = 0;
  std::ifstream status(folder + "/status");
  for (std::string line; std::getline(status, line);) {
    const auto number = [&] {
      return std::strtod(line.c_str() + line.find(':') + 1, nullptr);
    };
    if (line.starts_with("VmRSS:") || line.starts_with("VmSwap:"))
      bytes += 1024 * number();
    if (line.starts_with("Threads:"))
      threads = static_cast<std::int64_t>(number());
  }
  if (!confinement_.uses_gpu) return {bytes, threads};
  std::error_code ignored;
  std::set<ino_t> files;
  const auto is_memory = [](const std::string& name) {
    return name.find("/memfd:") != name.npos;
  };
  for (const auto& entry :
       std::filesystem::directory_iterator(folder + "/fd", ignored)) {
    struct stat about {};
    if (is_memory(std::filesystem::read_symlink(entry, ignored)) &&
        stat(entry.path().c_str(), &about) == 0 &&
        files.insert(about.st_ino).second) {
      bytes += static_cast<double>(about.st_size);
    }
  }
  // A mapped file may be larger than its map. A map without a file is shown as
  // a deleted file of /dev/zero.
  std::ifstream maps(folder + "/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::string range, rights, offset, device;
    ino_t file = 0;
    fields >> range >> rights >> offset >> device >> file;
    const bool has_no_file = line.find(" /dev/zero") != line.npos;
    if ((is_memory(line) || has_no_file) && files.insert(file).second) {
      bytes += static_cast<double>(has_no_file ? largest_shared_map
                                               : confinement_.file_bytes);
    }
  }
  return {bytes, threads};
}

const Detail& Process::why_ended() {
  if (ended_) return why_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_) {
    note_end(status);
  } else if (!confinement_.may_start) {
    const auto [bytes, threads] = held();
    if (bytes > confinement_.memory_bytes) {
      end(because(Cause::took_too_much_memory,
                  Quantity{confinement_.memory_bytes, Unit::byte}));
    } else if (threads > most_threads) {
      end(because(Cause::started_too_many_threads, most_threads));
    }
  }
  return why_;
}

Detail Process::wait(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  while (!why_ended()) {
    if (was_interrupted()) end({.cause = Cause::interrupted});
    if (Clock::now() > until) {
      end(because(Cause::took_too_long, Quantity{seconds, Unit::second}));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const bool exit_0 = why_.cause == Cause::ended_with_status &&
                      std::get<std::int64_t>(why_.arguments.at(0)) == 0;
  return exit_0 ? Detail{} : why_;
}

void Process::end(Detail why) {
  if (ended_) return;
  if (!why_) why_ = std::move(why);
  // Programs that a compiler has started are in its session.
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR)
    continue;
  ended_ = true;
}

}  // namespace parlab::grade
