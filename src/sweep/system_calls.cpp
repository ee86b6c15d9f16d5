#include "sweep/system_calls.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>

#include "core/text.hpp"

namespace parlab {

void CallList::allow(const char* names) {
  for (const auto& name : split(names, ' ')) {
    const int call = seccomp_syscall_resolve_name(name.c_str());
    good_ &= call != __NR_SCMP_ERROR;
    add(SCMP_ACT_ALLOW, call, {});
  }
}

void CallList::allow_if(int call, Arguments arguments) {
  add(SCMP_ACT_ALLOW, call, arguments);
}

void CallList::allow_each(int call, unsigned argument,
                          std::initializer_list<scmp_datum_t> values) {
  for (const auto value : values)
    allow_if(call, {SCMP_CMP64(argument, SCMP_CMP_EQ, value)});
}

void CallList::end_for(int call, Arguments arguments) {
  add(SCMP_ACT_KILL_PROCESS, call, arguments);
}

void CallList::fail_for(int call, int error, Arguments arguments) {
  add(SCMP_ACT_ERRNO(error), call, arguments);
}

// clone3() has its flags in memory, which seccomp cannot read. If clone3()
// fails, the C library uses clone().
void CallList::refuse_processes() {
  end_for(SCMP_SYS(clone), {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)});
  fail_for(SCMP_SYS(clone3), ENOSYS);
  for (const int call : {SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execve)})
    end_for(call);
}

bool CallList::load(bool speculates) const {
  if (!good_ || seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_TSYNC, 1) != 0)
    return false;
  // Kernels without this option have no such mitigation.
  if (speculates) seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_SSB, 1);
  return seccomp_load(filter_.get()) == 0;
}

// Skips system calls that this machine does not have.
void CallList::add(std::uint32_t action, int call, Arguments arguments) {
  if (!good_ || call < 0) return;
  good_ = seccomp_rule_add_array(filter_.get(), action, call,
                                 static_cast<unsigned>(arguments.size()),
                                 arguments.begin()) == 0;
}

bool fence_variants(int descriptor) {
  CallList list(SCMP_ACT_ALLOW);
  list.refuse_processes();
  list.end_for(SCMP_SYS(execveat));
  // Refuse calls that make another process work or end it.
  const auto itself = static_cast<scmp_datum_t>(getpid());
  for (const int call :
       {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo),
        SCMP_SYS(rt_tgsigqueueinfo)})
    list.fail_for(call, EPERM, {SCMP_A0(SCMP_CMP_NE, itself)});
  for (const int call :
       {SCMP_SYS(tkill), SCMP_SYS(ptrace), SCMP_SYS(process_vm_writev),
        SCMP_SYS(pidfd_send_signal), SCMP_SYS(io_uring_setup)})
    list.fail_for(call, EPERM);
  list.fail_for(SCMP_SYS(prctl), EPERM,
                {SCMP_A0(SCMP_CMP_EQ, PR_SET_PDEATHSIG)});
  // Refuse calls that could slow down other processes or make them fail.
  list.fail_for(SCMP_SYS(prctl), EPERM,
                {SCMP_A0(SCMP_CMP_EQ, PR_SET_THP_DISABLE)});
  list.fail_for(SCMP_SYS(prlimit64), EPERM, {SCMP_A2(SCMP_CMP_NE, 0)});
  for (const int call : {SCMP_SYS(setrlimit), SCMP_SYS(setpriority),
                         SCMP_SYS(sched_setattr), SCMP_SYS(sched_setscheduler),
                         SCMP_SYS(sched_setparam), SCMP_SYS(mlockall)})
    list.fail_for(call, EPERM);
  // the kernel reads only these bits
  constexpr scmp_datum_t number = 0xffffffff;
  for (const int kept :
       {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, descriptor}) {
    const auto it = static_cast<scmp_datum_t>(kept);
    list.fail_for(SCMP_SYS(close), EPERM,
                  {SCMP_A0(SCMP_CMP_MASKED_EQ, number, it)});
    for (const int call : {SCMP_SYS(dup2), SCMP_SYS(dup3)})
      list.fail_for(call, EPERM, {SCMP_A1(SCMP_CMP_MASKED_EQ, number, it)});
  }
  list.fail_for(SCMP_SYS(close_range), EPERM);
  return list.load(true);
}

}  // namespace parlab
