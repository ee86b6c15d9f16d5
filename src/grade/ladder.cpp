#include "grade/grader.hpp"

#include <unistd.h>

#include <chrono>

#include "grade/clock_check.hpp"
#include "machine/run_queue.hpp"
#include "sweep/interrupt.hpp"

namespace parlab::grade {
namespace {

constexpr int looks_at_ladder = 3;
// In a sweep of many variants their own threads also wait for each other.
constexpr double share_of_queue = 0.25;

}  // namespace

std::optional<Ceilings> measure_ladder(Class& all, const std::string& command) {
  const auto& assignment = all.assignment;
  const auto target = assignment.reference->target;
  Plan plan = plan_for(assignment, command);
  plan.sizes = {assignment.sizes.back()};
  plan.seed.reset();
  for (const auto* variant :
       Registry::instance().variants(assignment.workload->name())) {
    const bool ieee =
        variant->arithmetic_in(assignment.dtype) == Arithmetic::ieee;
    if (variant->target == target && variant->has(assignment.dtype) && ieee)
      plan.variants.push_back(variant);
  }
  Places places(plan.variants, {0});
  for (int look = 0; look < looks_at_ladder; ++look) {
    const RunQueueWait queue(getpid());
    const auto start = std::chrono::steady_clock::now();
    const auto records = swept(plan, places, all);
    if (was_interrupted()) return std::nullopt;
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    const Watched watched{.elapsed_s = elapsed.count(),
                          .waited_s = queue.seconds()};
    const double waited_s = watched.waited_s.value_or(watched.elapsed_s);
    if (target == Target::host &&
        waited_s > share_of_queue * watched.elapsed_s) {
      all.why_untimed = why_disturbed(watched);
      continue;
    }
    all.why_untimed = {};
    for (const auto& record : records) {
      if (record.timed()) all.ladder.push_back(record);
    }
    return places.of(*assignment.reference, 0).ceilings;
  }
  return std::nullopt;
}

}  // namespace parlab::grade
