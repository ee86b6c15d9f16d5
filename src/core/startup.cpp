#include "core/startup.hpp"

#include <fcntl.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "core/parallel.hpp"

namespace parlab {
namespace {

// Opens streams 0 to 2; each open() takes the lowest free number. Results that
// nobody can get are an error: writing them fails.
void open_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    const int mode = stream == STDOUT_FILENO ? O_RDONLY : O_RDWR;
    // without /dev, reads and writes on the stream fail, and that is reported
    if (open("/dev/null", mode) < 0) open("/", O_PATH);
  }
}

// Process 1 gets no signal that would end it, and every orphaned process
// becomes its child. So it only forwards signals and reaps children. A child
// process, which behaves like any other, does everything else.
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
    // The terminal has already sent its signals to the child, too.
    if (signal > 0 && signal != SIGCHLD && about.si_code != SI_KERNEL)
      kill(child, signal);
  }
}

// Our own loops use the CPUs that were granted. OMP_NUM_THREADS is a tunable
// instead. A loop with 64 threads on two CPUs would take milliseconds, which
// would be charged to the variant under test.
void forget_threads_of_shell() {
  const auto cpus = affinity().size();
  if (cpus > 0) omp_set_num_threads(static_cast<int>(cpus));
}

}  // namespace

void start_well() {
  open_streams();
  std::signal(SIGPIPE, SIG_DFL);
  // If SIGCHLD is ignored, the system drops the exit status of children.
  std::signal(SIGCHLD, SIG_DFL);
  // A file that reaches its size limit should make write() fail, like a full
  // disk.
  std::signal(SIGXFSZ, SIG_IGN);
  stay_behind_as_first();
  forget_threads_of_shell();
}

}  // namespace parlab
