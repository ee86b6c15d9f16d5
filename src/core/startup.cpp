#include "core/startup.hpp"

#include <fcntl.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

#include "core/affinity.hpp"

namespace parlab {
namespace {

// Each open() takes the lowest number that is free.
void open_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // without /dev nothing can be read or written there, and that is said
    if (open("/dev/null", O_RDWR) < 0) open("/", O_PATH);
  }
}

// Process 1 gets no signal that would end it, and every process whose parent
// has ended is left to it. So it does nothing but hand on signals, and look
// after those; all else is done by a child, which is as any other process.
void stay_behind_as_first() {
  if (getpid() != 1) return;
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t child = fork();
  if (child <= 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return;
  }
  for (;;) {
    siginfo_t about{};
    const int signal = sigwaitinfo(&all, &about);
    int status = 0;
    pid_t ended = 0;
    while (signal == SIGCHLD && (ended = waitpid(-1, &status, WNOHANG)) > 0) {
      if (ended != child) continue;
      _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    // A terminal has sent its own to the child, too.
    if (signal > 0 && signal != SIGCHLD && about.si_code != SI_KERNEL)
      kill(child, signal);
  }
}

// Our own loops take the CPUs that were granted. OMP_NUM_THREADS is one of the
// tunables; of 64 on two CPUs a loop takes milliseconds, which would be charged
// to the variant that it looks at.
void forget_threads_of_shell() {
  const auto cpus = affinity().size();
  if (cpus > 0) omp_set_num_threads(static_cast<int>(cpus));
}

}  // namespace

void start_well() {
  open_streams();
  std::signal(SIGPIPE, SIG_DFL);
  // Where it is ignored the system throws away how a child ended.
  std::signal(SIGCHLD, SIG_DFL);
  // A file as long as it may be is an error of write(), as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  stay_behind_as_first();
  forget_threads_of_shell();
}

}  // namespace parlab
