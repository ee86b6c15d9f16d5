#include "grade/sandbox.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <pwd.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>

#include "core/file.hpp"
#include "sweep/system_calls.hpp"

namespace parlab::grade {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t may_read = LANDLOCK_ACCESS_FS_EXECUTE |
                                   LANDLOCK_ACCESS_FS_READ_FILE |
                                   LANDLOCK_ACCESS_FS_READ_DIR;
// All rights of Linux 5.13; later ones need these to be of use.
constexpr std::uint64_t may_all = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
constexpr std::uint64_t may_use = may_read | LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t of_files = LANDLOCK_ACCESS_FS_EXECUTE |
                                   LANDLOCK_ACCESS_FS_READ_FILE |
                                   LANDLOCK_ACCESS_FS_WRITE_FILE;

int landlock(const landlock_ruleset_attr* all, std::size_t bytes, int flags) {
  return static_cast<int>(
      syscall(SYS_landlock_create_ruleset, all, bytes, flags));
}

void allow_below(int rules, const std::string& path, std::uint64_t access) {
  const Descriptor at(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (at < 0) return;  // a missing path needs no rule
  landlock_path_beneath_attr rule{access, at};
  if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule,
              0) != 0) {
    rule.allowed_access &= of_files;  // not a folder
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
}

// System calls that a submission may make. None of them reaches another process
// or makes memory that is not counted.
void allow_work(CallList& list) {
  // Files: Landlock decides which.
  list.allow(
      "open openat close read readv pread64 write writev lseek stat lstat "
      "fstat newfstatat statx statfs fstatfs access faccessat faccessat2 "
      "readlink readlinkat getdents64 getcwd dup dup2 dup3 close_range "
      "fadvise64 pipe pipe2 poll ppoll select pselect6 eventfd2 epoll_wait "
      "epoll_ctl epoll_pwait epoll_create1");
  // F_SETOWN is missing: it sends signals to others.
  list.allow_each(SCMP_SYS(fcntl), 1,
                  {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL,
                   F_ADD_SEALS, F_GET_SEALS});
  list.allow_each(SCMP_SYS(ioctl), 1, {TCGETS, FIONREAD, FIONBIO, FIOCLEX});
  // Memory. Shared anonymous maps are left out, since they are held without
  // being resident.
  list.allow(
      "brk munmap mprotect mremap madvise mincore mlock mlock2 munlock mbind "
      "get_mempolicy set_mempolicy membarrier");
  list.allow_if(
      SCMP_SYS(mmap),
      {SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_PRIVATE, MAP_PRIVATE)});
  list.allow_if(SCMP_SYS(mmap),
                {SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, 0)});
  // Its own threads, the time, and its identity.
  list.allow(
      "futex rseq set_robust_list set_tid_address gettid getpid getppid exit "
      "exit_group arch_prctl restart_syscall sched_yield sched_getaffinity "
      "sched_getparam sched_getscheduler sched_get_priority_max "
      "sched_get_priority_min getcpu rt_sigaction rt_sigprocmask "
      "rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack "
      "pause nanosleep clock_nanosleep clock_gettime clock_getres "
      "gettimeofday time times getrusage getrlimit getrandom sysinfo uname "
      "getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp "
      "getpgid getsid getpriority capget");
  // A reference, which is this program, asks at its start for its children; it
  // has none.
  list.allow("waitid");
  list.allow_each(SCMP_SYS(prctl), 0,
                  {PR_SET_NAME, PR_GET_NAME, PR_SET_VMA, PR_GET_DUMPABLE,
                   PR_CAPBSET_READ, PR_SET_CHILD_SUBREAPER});
  // The channel to the grader.
  list.allow("recvfrom");
  list.allow_if(SCMP_SYS(sendto), {SCMP_A4(SCMP_CMP_EQ, 0)});  // no address
}

// Calls that take a process or a thread as argument may only name their own.
void allow_on_itself(CallList& list) {
  const auto itself = static_cast<scmp_datum_t>(getpid());
  for (const int call :
       {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_tgsigqueueinfo)}) {
    list.allow_each(call, 0, {itself});
  }
  list.allow_each(SCMP_SYS(sched_setaffinity), 0, {0, itself});
  list.allow_each(SCMP_SYS(prlimit64), 0, {0, itself});
  list.allow_if(SCMP_SYS(clone),
                {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)});
  list.refuse_processes();
  // The one program that is started is open in a descriptor, and starting it
  // closes the descriptor.
  list.allow_each(SCMP_SYS(execveat), 0, {program_descriptor});
  list.end_for(SCMP_SYS(execveat), {SCMP_A0(SCMP_CMP_NE, program_descriptor)});
}

// The calls of CUDA's driver. Only its devices can be opened.
void allow_driver(CallList& list) {
  constexpr scmp_datum_t type = 0xff00, number = 0xff;
  list.allow_if(SCMP_SYS(ioctl), {SCMP_A1(SCMP_CMP_MASKED_EQ, type, 'F' << 8)});
  list.allow_if(SCMP_SYS(ioctl),  // for unified memory, whose numbers are plain
                {SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu & ~number, 0)});
  list.allow_each(SCMP_SYS(ioctl), 1, {0x30000001, 0x30000002});
  // The driver waits at a socket for programs that would share its memory; it
  // can call none. When it looks for its server, its devices' names or a file
  // without a name, it accepts only ENOENT as "not there".
  for (const int call :
       {SCMP_SYS(connect), SCMP_SYS(symlink), SCMP_SYS(unlink)})
    list.fail_for(call, ENOENT);
  list.allow_each(SCMP_SYS(socket), 0, {AF_UNIX});
  list.allow(
      "bind listen accept accept4 getsockname setsockopt getsockopt shutdown "
      "recvmsg recvmmsg");
  // Files of memory, and memory that the device reads; Process counts both.
  list.allow("memfd_create ftruncate fallocate");
  list.allow_if(SCMP_SYS(mmap),
                {SCMP_A1(SCMP_CMP_LE, largest_shared_map),
                 SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_ANONYMOUS,
                         MAP_SHARED | MAP_ANONYMOUS)});
}

bool can_be(uid_t user) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(setgroups(0, nullptr) != 0 || setgid(user) != 0 || setuid(user) != 0);
  }
  int status = 1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  return child > 0 && status == 0;
}

}  // namespace

std::vector<std::string> system_folders() {
  return {"/usr", "/lib", "/lib64", "/bin", "/opt", "/etc/ld.so.cache"};
}

std::vector<std::string> descriptions_of_machine() {
  std::vector<std::string> paths{"/sys"};
  for (const char* name :
       {"self", "cpuinfo", "meminfo", "stat", "version", "devices", "modules",
        "filesystems", "driver", "sys", "interrupts", "loadavg", "uptime"}) {
    paths.push_back(std::string("/proc/") + name);
  }
  return paths;
}

std::vector<std::string> missing_fences() {
  std::vector<std::string> missing;
  if (landlock(nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) <= 0) {
    missing.push_back(
        unused_user()
            ? "without Landlock (Linux 5.13) submissions see all files that "
              "other users may read"
            : "without Landlock (Linux 5.13) submissions are graded by root "
              "alone: nothing is built or run");
  }
  if (geteuid() == 0 && !unused_user()) {
    missing.push_back(
        "root may become no other user here: what keeps submissions from "
        "files and processes is Landlock and seccomp alone");
  }
  return missing;
}

std::optional<uid_t> unused_user() {
  // The user IDs that systemd keeps for transient services, so that they also
  // exist in a container of 65536.
  constexpr uid_t first = 61184, count = 4336;
  static std::atomic<uid_t> next{std::random_device{}()};
  if (geteuid() != 0) return std::nullopt;
  uid_t user = first + next++ % count;
  while (getpwuid(user) != nullptr)
    user = first + next++ % count;
  static const bool able = can_be(user);
  return able ? std::optional(user) : std::nullopt;
}

bool fence_files(const Confinement& confinement) {
  landlock_ruleset_attr all{};
  all.handled_access_fs = may_all;
  const Descriptor rules(landlock(&all, sizeof all.handled_access_fs, 0));
  if (rules < 0) return false;
  for (const auto& path : confinement.readable)
    allow_below(rules, path, may_read);
  for (const auto& path : confinement.writable)
    allow_below(rules, path, may_all);
  allow_below(rules, "/dev/null", may_use);
  allow_below(rules, "/dev/urandom", may_read);
  if (confinement.uses_gpu) {
    allow_below(rules, "/proc/self/task", may_use);
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/dev", ignored)) {
      if (entry.path().filename().string().starts_with("nvidia"))
        allow_below(rules, entry.path(), may_use);
    }
    allow_below(rules, "/dev/dxg", may_use);  // the device on Windows (WSL)
  }
  return syscall(SYS_landlock_restrict_self, int{rules}, 0) == 0;
}

bool fence_calls(const Confinement& confinement) {
  CallList list(SCMP_ACT_TRAP);  // EPERM, and serve() reports which
  allow_work(list);
  allow_on_itself(list);
  if (confinement.uses_gpu) allow_driver(list);
  return list.load(false);
}

Detail refusal_of(const std::vector<std::int64_t>& calls) {
  if (calls.empty()) return {};
  std::string names;
  for (const auto call : calls) {
    const std::unique_ptr<char, void (*)(void*)> name(
        seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE,
                                         static_cast<int>(call)),
        std::free);
    names += (names.empty() ? "" : ", ") +
             (name ? std::string(name.get()) : std::to_string(call));
  }
  return because(Cause::refused_calls, names);
}

}  // namespace parlab::grade
