// The process of a submission may report any time. This checks its times by the
// grader's clock, and whether it had the machine to itself, since otherwise its
// time says nothing.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "facts/cause.hpp"
#include "machine/topology.hpp"

namespace parlab::grade {

// Some executions, and how long threads waited for a CPU during them.
struct Watched {
  double elapsed_s = 0;
  // How long threads were ready to run while others ran. For a CPU submission
  // its process reports it; otherwise the grader sees it for that process and
  // itself. nullopt: the system does not tell.
  std::optional<double> waited_s = 0;
  // The most threads of a CPU submission at a time, as its process reports; 0:
  // unknown.
  int threads = 0;

  void add(const Watched& more);
};

struct WatchedBatch {
  std::vector<double> reported_s;  // one per execution
  // by the grader's clock, from each question to its answer
  double elapsed_s = 0;
  Watched watched;
};

// Whether other programs took so much of that time that it says nothing.
bool disturbed(const Watched& watched);
// Why nothing can be timed on so many CPUs: other programs kept them busy, or
// the submission's own threads did.
Detail why_disturbed(const Watched& watched, int cpus = cpus_allowed());

enum class ClockVerdict {
  agrees,
  differs,
  busy  // the machine was never left alone for long enough
};

struct ClockCheck {
  ClockVerdict verdict;
  Detail detail = {};  // which times differ, or how long threads waited
  // time per execution that the grader's clock shows in addition
  double around_s = 0;
};

// The time of a place between two executions that is not part of either.
constexpr double usual_around_s = 30e-6;

// take: measures one more batch of so many executions. median_s: the time of
// one, as the submission reports. around_s: the most time allowed for a
// question beside the execution. Batches during which other programs ran do not
// count; there are tens of them at most. again: called before another look if
// the clocks differ; returns the most time allowed then. The clocks count as
// agreeing if they do so twice.
ClockCheck check_clock(const std::function<WatchedBatch(int executions)>& take,
                       double median_s, double around_s = usual_around_s,
                       const std::function<double()>& again = nullptr);

}  // namespace parlab::grade
