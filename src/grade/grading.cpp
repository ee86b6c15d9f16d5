#include "grade/grading.hpp"

#include <random>

#include "grade/grader.hpp"
#include "sweep/interrupt.hpp"

namespace parlab::grade {
namespace {

// Extents are drawn from 2 on, up to about these: within a block, and of a few.
// A vector has as many elements as a matrix.
constexpr std::uint64_t most_of_hidden_extents[] = {40, 200, 700};

void time_ladder(Class& all, const std::string& command, Stopwatch& stopwatch,
                 const std::function<void(const std::string&)>& says) {
  says("measuring the ladder");
  if (const auto ceilings = measure_ladder(all, command)) {
    says("measuring " + all.assignment.reference->full_name());
    stopwatch.time_reference(*ceilings);
  }
}

}  // namespace

std::vector<Size> hidden_sizes(const Workload& workload, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto extents = count_extents(workload);
  std::vector<Size> sizes;
  for (const std::uint64_t most : most_of_hidden_extents) {
    std::vector<std::int64_t> typed;
    for (std::size_t i = 0; i < extents; ++i) {
      const auto longest = extents == 1 ? most * most : most;
      typed.push_back(static_cast<std::int64_t>(2 + engine() % longest));
    }
    if (extents > 1 && typed[0] == typed[1]) ++typed[1];
    sizes.push_back(complete_size(workload, typed));
  }
  return sizes;
}

Class grade(const Assignment& assignment, std::vector<Submission> submissions,
            const std::string& command,
            const std::function<void(const std::string&)>& says) {
  Class all;
  all.assignment = assignment;
  for (auto& submission : submissions) {
    all.grades.push_back({.submission = std::move(submission),
                          .detail = {.cause = Cause::not_graded}});
  }
  Stopwatch stopwatch(all, command);
  Judge judge(all, command, stopwatch);
  // These need no process, and no time.
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
