// Commands with which parlab starts itself: for a profiler, and for a grader.
#include "cli/command.hpp"
#include "counters/counters.hpp"
#include "grade/serve.hpp"

namespace parlab {
namespace {

int run_once(const Arguments& arguments, const Streams&) {
  execute_once(arguments.positional);
  return 0;
}

int serve_grader(const Arguments& arguments, const Streams&) {
  grade::serve(arguments.positional.at(0), arguments.positional.at(1));
  return 0;
}

const CommandRegistration execute_once_command({.name = "execute-once",
                                                .run = run_once,
                                                .hidden = true}),
    serve_command(
        {.name = "serve",
         .run = serve_grader,
         .least = 2,
         .needs = "a workload and a variant: 'parlab grade' starts it",
         .hidden = true});

}  // namespace
}  // namespace parlab
