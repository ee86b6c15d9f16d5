// One program as the place of a sweep.
#pragma once

#include <string>
#include <vector>

#include "grade/grading.hpp"
#include "places/places.hpp"
#include "sweep/plan.hpp"

namespace parlab::grade {

// A process that executes one variant, as the one place of a sweep.
class Contestant {
 public:
  // Throws PointError when its process does not answer.
  Contestant(Program program, const Limits& limits)
      : Contestant(
            std::make_unique<RemoteExecutor>(std::move(program), limits)) {}

  RemoteExecutor& executor;
  Variant variant;
  Places places;

 private:
  explicit Contestant(std::unique_ptr<RemoteExecutor> remote)
      : executor(*remote),
        variant(remote->variant()),
        places({.target = variant.target, .executor = std::move(remote)}) {}
};

// What all sweeps of a grading have in common.
Plan plan_for(const Assignment& assignment, const std::string& command);

// Silently. Until Ctrl-C, as was_interrupted() tells: then some records are
// missing. The class keeps the name of the machine.
std::vector<Record> swept(const Plan& plan, Places& places, Class& all);

}  // namespace parlab::grade
