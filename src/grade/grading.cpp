#include "grade/grading.hpp"

#include <omp.h>

#include <algorithm>

#include "core/at_end.hpp"
#include "core/parallel.hpp"
#include "grade/grader.hpp"
#include "sweep/interrupt.hpp"

namespace parlab::grade {
namespace {

void time_ladder(Class& all, const std::string& command, Stopwatch& stopwatch,
                 const std::function<void(const std::string&)>& says) {
  says("measuring the ladder");
  if (const auto ceilings = measure_ladder(all, command)) {
    says("measuring " + all.assignment.reference->full_name());
    stopwatch.time_reference(*ceilings);
  }
}

// A submission after the first step.
struct Judged {
  Grade grade = {};
  Judge::Next next = Judge::Next::nothing;
  bool again = false;  // alone
  bool done = false;   // false only after Ctrl-C

  bool is_final() const {
    return done && !again && next == Judge::Next::nothing;
  }
};

// Judges them side by side, one per CPU at most. The grader's own work gets no
// more CPUs than that, because the processes of the submissions need them.
std::vector<Judged> judge_all(
    Judge& judge, const Class& all,
    const std::function<void(const std::string&)>& says) {
  std::vector<Judged> judged(all.grades.size());
  const auto cpus = std::max<std::size_t>(affinity().size(), 1),
             width = std::min(cpus, judged.size());
  on_threads(width, judged.size(), [&](std::size_t i) {
    if (was_interrupted()) return;
    auto& [grade, next, again, done] = judged[i];
    grade.submission = all.grades[i].submission;
    if (!grade.submission.trouble) says(grade.submission.student);
    // Teams of OpenMP share the CPUs.
    const int threads = omp_get_max_threads();
    const AtEnd restored([=] { omp_set_num_threads(threads); });
    omp_set_num_threads(std::min(threads, static_cast<int>(cpus / width)));
    next = judge.judge(grade);
    again = Judge::may_be_others_fault(grade, width > 1);
    done = !was_interrupted();
  });
  return judged;
}

}  // namespace

Class grade(const Assignment& assignment, std::vector<Submission> submissions,
            const std::string& command,
            const std::function<void(const std::string&)>& says,
            std::function<void(const Detail&)> tells) {
  Class all;
  all.assignment = assignment;
  all.tells = std::move(tells);
  for (auto& submission : submissions) {
    all.grades.push_back({.submission = std::move(submission),
                          .detail = {.cause = Cause::not_graded}});
  }
  Stopwatch stopwatch(all, command);
  Judge judge(all, command, stopwatch);
  // These need neither a process nor time.
  for (auto& grade : all.grades) {
    if (grade.submission.trouble) judge.finish(grade, judge.judge(grade));
  }
  const InterruptGuard guard;
  if (assignment.reference != nullptr)
    time_ladder(all, command, stopwatch, says);
  auto judged = judge_all(judge, all, says);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    auto& [graded, next, again, done] = judged[i];
    if (assignment.reference != nullptr) says(graded.submission.student);
    const bool is_final = judged[i].is_final();
    if (!done || (was_interrupted() && !is_final)) continue;
    if (again) {
      graded = {.submission = std::move(graded.submission)};
      next = judge.judge(graded);
    }
    judge.finish(graded, next);
    if (is_final || !was_interrupted()) all.grades[i] = std::move(graded);
  }
  all.interrupted = was_interrupted();
  if (all.interrupted && !all.timed())
    all.why_untimed = {.cause = Cause::interrupted};
  stopwatch.compare();
  return all;
}

}  // namespace parlab::grade
