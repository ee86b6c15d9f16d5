#include "grade/grading.hpp"

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
    if (grade.submission.trouble) judge.grade(grade);
  }
  const InterruptGuard guard;
  if (assignment.reference != nullptr)
    time_ladder(all, command, stopwatch, says);
  for (auto& grade : all.grades) {
    if (was_interrupted()) break;
    if (grade.submission.trouble) continue;
    says(grade.submission.student);
    Grade graded{.submission = grade.submission};
    judge.grade(graded);
    if (!was_interrupted()) grade = std::move(graded);
  }
  all.interrupted = was_interrupted();
  if (all.interrupted && !all.timed())
    all.why_untimed = {.cause = Cause::interrupted};
  stopwatch.compare();
  return all;
}

}  // namespace parlab::grade
