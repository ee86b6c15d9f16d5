// Who used the CPU while a variant ran: its own threads, or others that it left at work.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace parlab {

class CpuTime {
 public:
  // Starts to count once the threads beyond the first n of the OpenMP pool have gone to sleep:
  // after a parallel region they spin for a while.
  explicit CpuTime(int threads);

  // The process's CPU time since then that the first n threads of the pool did not use. Nothing
  // when it is none to speak of, or when OMP_WAIT_POLICY=active keeps all of them at work; else one
  // sentence.
  std::optional<std::string> of_others() const;

 private:
  double others_until_now() const;

  int threads_;
  double others_before_ = 0, wall_before_ = 0;
};

}  // namespace parlab
