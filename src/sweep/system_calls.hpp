// The system calls that a process may make, by seccomp: those of a submission,
// and of a sweep, in whose process the variants are.
#pragma once

#include <seccomp.h>

#include <initializer_list>
#include <memory>

namespace parlab {

class CallList {
 public:
  // otherwise: what becomes of calls that no rule names, as SCMP_ACT_TRAP.
  explicit CallList(std::uint32_t otherwise)
      : filter_(seccomp_init(otherwise), seccomp_release),
        good_(filter_ != nullptr) {}

  using Arguments = std::initializer_list<scmp_arg_cmp>;
  void allow(std::initializer_list<int> calls);
  void allow_if(int call, Arguments arguments);
  void allow_each(int call, unsigned argument,
                  std::initializer_list<scmp_datum_t> values);
  // It ends the process with SIGSYS.
  void end_for(int call, Arguments arguments = {});
  void fail_for(int call, int error, Arguments arguments = {});
  // Threads can be started, and no process and no program; to try it is no
  // accident, and ends the one that does. SYS_execveat is left to the caller.
  void refuse_processes();

  // For this process and all that it starts, for good. speculates: as before;
  // old kernels slow down a process with a filter, if it may be a stranger's.
  bool load(bool speculates) const;

 private:
  void add(std::uint32_t action, int call, Arguments arguments);

  std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter_;
  bool good_;
};

// For a process in which variants run, behind all programs that it starts
// itself: nothing of them works in another process, or ends one, and what
// nobody could put back stays: hard limits, priorities, the standard streams
// and this descriptor. False: the system does not let us.
bool fence_variants(int descriptor);

}  // namespace parlab
