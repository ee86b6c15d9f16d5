#include "grade/sandbox.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <system_error>
#include <thread>

#include "machine/process_end.hpp"
#include "sweep/interrupt.hpp"

namespace parlab::grade {
namespace {

constexpr int channel_descriptor = 3, program_descriptor = 4;
constexpr uid_t nobody = 65534;
// of a process that could not be confined: it runs nothing
constexpr int exit_unconfined = 99;

constexpr std::uint64_t may_read = LANDLOCK_ACCESS_FS_EXECUTE |
                                   LANDLOCK_ACCESS_FS_READ_FILE |
                                   LANDLOCK_ACCESS_FS_READ_DIR;
// All that Linux 5.13 knows; what came later is not there to
// be used without these.
constexpr std::uint64_t may_all = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
constexpr std::uint64_t of_files = LANDLOCK_ACCESS_FS_EXECUTE |
                                   LANDLOCK_ACCESS_FS_READ_FILE |
                                   LANDLOCK_ACCESS_FS_WRITE_FILE;

using SystemCallFilter = std::unique_ptr<void, void (*)(scmp_filter_ctx)>;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void allow_below(int rules, const std::string& path, std::uint64_t access) {
  const int at = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (at < 0) return;  // what is not there needs no rule
  landlock_path_beneath_attr rule{access, at};
  if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule,
              0) != 0) {
    rule.allowed_access &= of_files;  // it is no folder
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
  close(at);
}

// False: the kernel has no Landlock; other fences remain.
bool fence_files(const Confinement& confinement) {
  landlock_ruleset_attr all{};
  all.handled_access_fs = may_all;
  const int rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &all,
                                             sizeof all.handled_access_fs, 0));
  if (rules < 0) return false;
  for (const auto& path : confinement.readable)
    allow_below(rules, path, may_read);
  for (const auto& path : confinement.writable)
    allow_below(rules, path, may_all);
  // Devices of a GPU are opened for writing; all others there are harmless.
  allow_below(rules, "/dev", may_read | LANDLOCK_ACCESS_FS_WRITE_FILE);
  if (confinement.uses_gpu) {
    allow_below(rules, "/proc/self/task",
                may_read | LANDLOCK_ACCESS_FS_WRITE_FILE);
  }
  const bool done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return done;
}

void forbid(const SystemCallFilter& filter, std::uint32_t action,
            std::initializer_list<int> calls) {
  for (const int call : calls)
    seccomp_rule_add(filter.get(), action, call, 0);
}

// Made before the fork. own_pid is known only behind it: signals to
// oneself stay allowed there.
SystemCallFilter make_filter(const Confinement& confinement) {
  SystemCallFilter filter(seccomp_init(SCMP_ACT_ALLOW),
                          [](scmp_filter_ctx all) { seccomp_release(all); });
  if (!filter) throw std::runtime_error("libseccomp gives no filter");
  forbid(filter, SCMP_ACT_ERRNO(EPERM),
         {SCMP_SYS(ptrace),
          SCMP_SYS(process_vm_readv),
          SCMP_SYS(process_vm_writev),
          SCMP_SYS(pidfd_getfd),
          SCMP_SYS(mount),
          SCMP_SYS(umount2),
          SCMP_SYS(unshare),
          SCMP_SYS(setns),
          SCMP_SYS(chroot),
          SCMP_SYS(bpf),
          SCMP_SYS(perf_event_open),
          SCMP_SYS(userfaultfd),
          SCMP_SYS(keyctl),
          SCMP_SYS(add_key),
          SCMP_SYS(io_uring_setup),
          SCMP_SYS(open_by_handle_at),
          SCMP_SYS(kexec_load),
          SCMP_SYS(init_module),
          SCMP_SYS(finit_module),
          SCMP_SYS(reboot),
          SCMP_SYS(settimeofday),
          SCMP_SYS(clock_settime),
          SCMP_SYS(shmget),
          SCMP_SYS(msgget),
          SCMP_SYS(semget)});
  if (confinement.may_start) return filter;
  forbid(filter, SCMP_ACT_ERRNO(EPERM), {SCMP_SYS(socketpair)});
  if (confinement.uses_gpu) {
    // The driver waits at a socket for others that would share its
    // memory: nobody may be called.
    seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 1,
                     SCMP_A0(SCMP_CMP_NE, AF_UNIX));
    forbid(filter, SCMP_ACT_ERRNO(EPERM),
           {SCMP_SYS(connect), SCMP_SYS(sendmsg), SCMP_SYS(sendmmsg)});
    seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(sendto), 1,
                     // an address: the channel needs none
                     SCMP_A4(SCMP_CMP_NE, 0));
  } else {
    forbid(filter, SCMP_ACT_ERRNO(EPERM), {SCMP_SYS(socket)});
  }
  // To start another process is no accident: it ends the one that tries.
  forbid(filter, SCMP_ACT_KILL_PROCESS,
         {SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execve)});
  seccomp_rule_add(filter.get(), SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone), 1,
                   SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  // Its flags lie in memory, where seccomp cannot look; the C
  // library then takes clone().
  forbid(filter, SCMP_ACT_ERRNO(ENOSYS), {SCMP_SYS(clone3)});
  // The one program that is started stands in a descriptor
  // which is closed by that.
  seccomp_rule_add(filter.get(), SCMP_ACT_KILL_PROCESS, SCMP_SYS(execveat), 1,
                   SCMP_A0(SCMP_CMP_NE, program_descriptor));
  return filter;
}

void limit(int what, rlim_t most) {
  const rlimit both{most, most};
  setrlimit(static_cast<__rlimit_resource>(what), &both);
}

// Which GPUs there are and how threads wait is for the grader to decide,
// and where its own libraries lie.
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

// In the child, up to the program. Only what is safe behind a fork,
// and the C library's memory.
[[noreturn]] void become(const std::vector<char*>& arguments,
                         const Confinement& confinement,
                         const SystemCallFilter& filter, int program,
                         int channel, int output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(exit_unconfined);
  setsid();
  // First out of the way of where they are to be.
  const int at_channel = channel < 0 ? -1 : fcntl(channel, F_DUPFD, 100);
  const int at_program = fcntl(program, F_DUPFD, 100),
            at_output = fcntl(output, F_DUPFD, 100);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(at_output, STDOUT_FILENO);
  dup2(at_output, STDERR_FILENO);
  if (at_channel >= 0) dup2(at_channel, channel_descriptor);
  dup3(at_program, program_descriptor, O_CLOEXEC);
  close_range(program_descriptor + 1, ~0u, 0);
  if (at_channel < 0) close(channel_descriptor);

  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<rlim_t>(confinement.cpu_s) + 1);
  limit(RLIMIT_FSIZE, confinement.file_bytes);
  unshare(CLONE_NEWNET | CLONE_NEWIPC);  // where the system lets us
  if (chdir(confinement.folder.c_str()) != 0) _exit(exit_unconfined);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const bool fenced = fence_files(confinement);
  if (geteuid() == 0 && !confinement.may_start && !confinement.trusted) {
    limit(RLIMIT_NPROC, 512);
    if (setgroups(0, nullptr) != 0 || setgid(nobody) != 0 ||
        setuid(nobody) != 0) {
      _exit(exit_unconfined);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // another user's has none
    if (getppid() != parent) _exit(exit_unconfined);
  } else if (!fenced && !confinement.may_start && !confinement.trusted) {
    _exit(exit_unconfined);  // nothing would keep it from this user's files
  }
  if (!confinement.may_start) {
    for (const int call :
         {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo)}) {
      seccomp_rule_add(
          filter.get(), SCMP_ACT_ERRNO(EPERM), call, 1,
          SCMP_A0(SCMP_CMP_NE, static_cast<scmp_datum_t>(getpid())));
    }
  }
  if (seccomp_load(filter.get()) != 0) _exit(exit_unconfined);
  char path[] = "PATH=/usr/local/bin:/usr/bin:/bin",
       locale[] = "LC_ALL=C.UTF-8";
  // Nothing is kept for later, by the driver or by a compiler.
  char cache[] = "CUDA_CACHE_DISABLE=1", compiler_cache[] = "CCACHE_DISABLE=1";
  std::string temporary =
      "TMPDIR=" +
      (confinement.writable.empty() ? "/" : confinement.writable.front());
  std::vector<std::string> settings = settings_of_grader(confinement.trusted);
  std::vector<char*> environment{path, locale, cache, compiler_cache,
                                 temporary.data()};
  for (auto& setting : settings)
    environment.push_back(setting.data());
  environment.push_back(nullptr);
  syscall(SYS_execveat, program_descriptor, "", arguments.data(),
          environment.data(), AT_EMPTY_PATH);
  _exit(exit_unconfined);
}

}  // namespace

std::vector<std::string> system_folders() {
  return {"/usr", "/lib", "/lib64", "/bin", "/etc", "/opt", "/proc", "/sys"};
}

Process::Process(const std::vector<std::string>& program,
                 const Confinement& confinement, int channel,
                 const std::string& output)
    : memory_bytes_(confinement.memory_bytes) {
  const auto filter = make_filter(confinement);
  std::vector<std::string> words = program;
  std::vector<char*> arguments;
  for (auto& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int file = open(words.at(0).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("starting " + words[0]);
  const int to = open(output.empty() ? "/dev/null" : output.c_str(),
                      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (to < 0) {
    close(file);
    fail("writing " + output);
  }
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0)
    become(arguments, confinement, filter, file, channel, to, parent);
  close(file);
  close(to);
  if (pid_ < 0) fail("starting " + words[0]);
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
    why_.further.push_back({.cause = Cause::cpu_time_used_up});
}

double Process::resident_bytes() const {
  std::ifstream statm("/proc/" + std::to_string(pid_) + "/statm");
  double pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

const Detail& Process::why_ended() {
  if (ended_) return why_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_) {
    note_end(status);
  } else if (resident_bytes() > memory_bytes_) {
    end({.cause = Cause::took_too_much_memory,
         .arguments = {Quantity{memory_bytes_, Unit::byte}}});
  }
  return why_;
}

Detail Process::wait(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  while (!why_ended()) {
    if (was_interrupted()) end({.cause = Cause::interrupted});
    if (Clock::now() > until) {
      end({.cause = Cause::took_too_long,
           .arguments = {Quantity{seconds, Unit::second}}});
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
  // What a compiler has started is in its session.
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR)
    continue;
  ended_ = true;
}

}  // namespace parlab::grade
