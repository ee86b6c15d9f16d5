// Right or wrong: the verdict over a submission.
#pragma once

#include <string>
#include <vector>

#include "grade/stopwatch.hpp"

namespace parlab::grade {

// By records of all sizes: the first that is not passed decides.
void judge(Grade& grade, const std::vector<Record>& records);

// Judges one submission after another, and has those timed that are right.
class Judge {
 public:
  Judge(Class& all, const std::string& command, Stopwatch& stopwatch)
      : all_(all), command_(command), stopwatch_(stopwatch) {}

  // Until Ctrl-C: then the grade is not complete.
  void grade(Grade& grade);

 private:
  enum class Outcome { decided, needs_device };
  Outcome try_program(Grade& grade, const Program& program);
  std::unique_ptr<Contestant> start(const Grade& grade,
                                    const Program& program) const;

  Class& all_;
  const std::string& command_;
  Stopwatch& stopwatch_;
};

}  // namespace parlab::grade
