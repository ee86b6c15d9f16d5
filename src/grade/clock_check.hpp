// The process of a submission may say of its time what it likes: is it
// so by the clock of the grader? And had it the machine to itself, or is
// there nothing to be said of its time?
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "facts/cause.hpp"
#include "machine/topology.hpp"

namespace parlab::grade {

// Some executions, and how long threads waited meanwhile.
struct Watched {
  double elapsed_s = 0;
  // That threads were ready to run and others ran: those of a CPU submission,
  // by what its process says; else those of its process and of the grader,
  // by what the grader sees. Nothing: the system does not say.
  std::optional<double> waited_s = 0;
  // The most that a CPU submission had at a time, by what its
  // process says; 0: not known.
  int threads = 0;

  void add(const Watched& more);
};

struct WatchedBatch {
  std::vector<double> reported_s;  // one per execution
  // by the clock of the grader, from asking for each to its answer
  double elapsed_s = 0;
  Watched watched;
};

// Other programs had so much of that time that it says nothing.
bool disturbed(const Watched& watched);
// Why nothing can be timed on so many CPUs: others kept them busy, or its own
// threads did.
Detail why_disturbed(const Watched& watched, int cpus = cpus_allowed());

enum class ClockVerdict {
  agrees,
  differs,
  busy  // the machine was never left alone for long enough
};

struct ClockCheck {
  ClockVerdict verdict;
  Detail detail = {};  // which times differ, or how long threads waited
  // by which the clock of the grader had more of one execution
  double around_s = 0;
};

// A place is busy so long between two executions, where nobody measured it.
constexpr double usual_around_s = 30e-6;

// take: one more batch of so many executions. median_s: what the submission
// says of one. around_s: what may pass for a question beside the execution.
// Batches during which other programs ran do not count; there are tens of
// them at the most. wait: called before it looks again, where the clocks
// differ; they agree after all if they do twice then.
ClockCheck check_clock(
    const std::function<WatchedBatch(int executions)>& take, double median_s,
    double around_s = usual_around_s,
    const std::function<void()>& wait = [] {});

}  // namespace parlab::grade
