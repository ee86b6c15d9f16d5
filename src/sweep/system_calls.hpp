// Restricts the system calls of a process by seccomp: the process of a
// submission, or that of a sweep, in which variants run.
#pragma once

#include <seccomp.h>

#include <initializer_list>
#include <memory>

namespace parlab {

class CallList {
 public:
  // otherwise: action for calls without a rule, such as SCMP_ACT_TRAP.
  explicit CallList(std::uint32_t otherwise)
      : filter_(seccomp_init(otherwise), seccomp_release),
        good_(filter_ != nullptr) {}

  using Arguments = std::initializer_list<scmp_arg_cmp>;
  // names: separated by blanks. With an unknown one load() fails.
  void allow(const char* names);
  void allow_if(int call, Arguments arguments);
  void allow_each(int call, unsigned argument,
                  std::initializer_list<scmp_datum_t> values);
  // The call ends the process with SIGSYS.
  void end_for(int call, Arguments arguments = {});
  void fail_for(int call, int error, Arguments arguments = {});
  // Allows new threads, but no new processes or programs. Trying to start one
  // is no accident, so it ends the process. SYS_execveat is left to the caller.
  void refuse_processes();

  // Applies to this process and all that it starts, for good. speculates: keeps
  // speculation as it was; old kernels otherwise slow down a process with a
  // filter.
  bool load(bool speculates) const;

 private:
  void add(std::uint32_t action, int call, Arguments arguments);

  std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter_;
  bool good_;
};

// For a process in which variants run; called after it has started all its own
// programs. Variants can then not start, affect or end other processes. They
// also cannot change state that could not be restored: hard limits, priorities,
// the standard streams and this descriptor. False if the system does not allow
// the filter.
bool fence_variants(int descriptor);

}  // namespace parlab
