#include "commands/run.hpp"

#include <unistd.h>

#include <iostream>

#include "commands/emulate.hpp"
#include "commands/shard.hpp"
#include "commands/tune.hpp"
#include "commands/warn.hpp"
#include "counters/counters.hpp"
#include "machine/memory.hpp"
#include "report/console.hpp"
#include "report/reporter.hpp"
#include "sweep/interrupt.hpp"
#include "sweep/sweep.hpp"

namespace parlab {
namespace {

void explain(const Points& points) {
  const auto reporter = make_explain_reporter(std::cout);
  for (const auto& point : points)
    reporter->point(point);
  reporter->finish();
}

// The points are printed only when their counters are known.
int sweep_and_count(const Plan& plan,
                    Console& console,
                    Supervisor& supervisor,
                    Points& points) {
  KeptPoints kept(console);
  const int status = run_sweep(plan, kept, &supervisor);
  if (status != exit_interrupted)
    add_counters(kept.points, plan.results, console);
  for (const auto& point : kept.points)
    console.point(point);
  points = std::move(kept.points);
  return status;
}

}  // namespace

int run_workload(Request request, char** arguments) {
  // First of all: a process that has used a GPU, or has threads, cannot
  // be the parent of one that is to use them.
  Supervisor supervisor;
  supervisor.repeats = !request.in_process && !request.estimate;
  if (supervisor.repeats) {
    if (const auto status = supervisor.start()) return *status;
  }
  emulate_if_needed(request, arguments);
  if (!request.best.empty()) {
    const auto notes = use_best(request.best, request.tuned, request.plan);
    request.warnings.insert(request.warnings.end(), notes.begin(), notes.end());
  }
  if (supervisor.first_worker()) warn(request.warnings);
  request.plan.memory_bytes = free_memory_bytes();
  // What workers before have printed is not printed again.
  std::ostream out(nullptr), messages(nullptr);
  supervisor.caught_up = [&] {
    out.rdbuf(std::cout.rdbuf());
    messages.rdbuf(std::cerr.rdbuf());
  };
  if (supervisor.first_worker()) supervisor.caught_up();
  const auto reporter = make_reporter(request.format, out);
  Console console(*reporter, messages, terminal_width(STDERR_FILENO));
  if (request.shard) request.plan.wanted = wanted_by_shard(request, console);
  if (request.estimate) {
    print_estimate(request.plan, console, std::cout);
    return 0;
  }
  Points counted;
  const int status =
      request.counters
          ? sweep_and_count(request.plan, console, supervisor, counted)
          : run_sweep(request.plan, console, &supervisor);
  reporter->finish();
  if (!out) std::cout.setstate(out.rdstate());
  if (request.counters && request.format == "table") explain(counted);
  return status;
}

}  // namespace parlab
