// Who watches a sweep: output formats and the progress line. The sweep
// prints nothing itself.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/record.hpp"

namespace parlab {

struct Observer {
  virtual ~Observer() = default;
  // What is known of a run, before the first point with records of it.
  virtual void run(const Run& /*run*/) {}
  // Before the first: how many measurements there will be.
  virtual void plan(std::size_t /*measurements*/) {}
  // what: "dmv 4096x4096 float hot cuda/naive block=256"; done:
  // measurements completed so far.
  virtual void working_on(const std::string& /*what*/, std::size_t /*done*/) {}
  // All records of one (size, dtype, cache), once they are
  // complete, in ladder order.
  virtual void point(const std::vector<Record>& records) = 0;
  // Something the user should know; one line.
  virtual void note(const std::string& line) = 0;
};

}  // namespace parlab
