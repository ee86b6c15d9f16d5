#include "commands/run.hpp"

#include <unistd.h>

#include <iostream>

#include "commands/emulate.hpp"
#include "commands/memory.hpp"
#include "commands/shard.hpp"
#include "commands/tune.hpp"
#include "commands/warn.hpp"
#include "counters/counters.hpp"
#include "machine/memory.hpp"
#include "report/console.hpp"
#include "report/reporter.hpp"
#include "sweep/sweep.hpp"

namespace parlab {
namespace {

constexpr int interrupted = 130;

void explain(const Points& points) {
  const auto reporter = make_explain_reporter(std::cout);
  for (const auto& point : points) reporter->point(point);
  reporter->finish();
}

// The points are printed only when their counters are known.
int sweep_and_count(const Plan& plan, Console& console, Points& points) {
  KeptPoints kept(console);
  const int status = run_sweep(plan, kept);
  if (status != interrupted) add_counters(kept.points, plan.results, console);
  for (const auto& point : kept.points) console.point(point);
  points = std::move(kept.points);
  return status;
}

}  // namespace

int run_workload(Request request, char** arguments) {
  emulate_if_needed(request, arguments);
  if (!request.best.empty()) {
    const auto notes = use_best(request.best, request.tuned, request.plan);
    request.warnings.insert(request.warnings.end(), notes.begin(), notes.end());
  }
  warn(request.warnings);
  request.plan.memory_bytes = free_memory_bytes();
  require_memory(request.plan);
  const auto reporter = make_reporter(request.format, std::cout);
  Console console(*reporter, std::cerr, terminal_width(STDERR_FILENO));
  if (request.shard) request.plan.wanted = wanted_by_shard(request, console);
  if (request.estimate) {
    print_estimate(request.plan, console, std::cout);
    return 0;
  }
  Points counted;
  const int status = request.counters ? sweep_and_count(request.plan, console, counted)
                                      : run_sweep(request.plan, console);
  reporter->finish();
  if (request.counters && request.format == "table") explain(counted);
  return status;
}

}  // namespace parlab
